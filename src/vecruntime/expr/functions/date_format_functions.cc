// SPDX-License-Identifier: Apache-2.0
// Functions with datetime patterns: date_format, to_date, to_timestamp, unix_timestamp, from_unixtime and their kin.
#include <arrow/scalar.h>

#include <limits>
#include <map>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/calendar.h"
#include "vecruntime/expr/datetime_pattern.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/row_kernel.h"
#include "vecruntime/expr/utf8.h"

namespace vecruntime::expr {
namespace {

using Text = std::string_view;

const TypePtr& Timestamp() {
  static const TypePtr type = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  return type;
}
const TypePtr& TimestampNtz() {
  static const TypePtr type = arrow::timestamp(arrow::TimeUnit::MICRO);
  return type;
}

constexpr Text kDefaultPattern = "yyyy-MM-dd HH:mm:ss";

// The patterns of a batch, each made once.
class PatternCache {
 public:
  arrow::Result<const DateTimePattern*> Get(Text pattern) {
    auto found = made_.find(pattern);
    if (found == made_.end()) {
      ARROW_ASSIGN_OR_RAISE(auto made, DateTimePattern::Make(pattern));
      found = made_.emplace(std::string(pattern), std::move(made)).first;
    }
    return &found->second;
  }

 private:
  std::map<std::string, DateTimePattern, std::less<>> made_;
};

// body(out, pattern, zone, value) for calls of (value, pattern).
template <typename Out, typename In, typename Body>
Kernel PatternKernel(TypePtr type, Body body) {
  return [type, body](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                      const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(context.timezone));
    PatternCache cache;
    return RunRows<Out, In, Text>(call, type, [&](Writer<Out>& out, In value, Text text) {
      const auto pattern = cache.Get(text);
      if (!pattern.ok()) return out.Fail(pattern.status());
      body(out, **pattern, *zone, value);
    });
  };
}

// A constant pattern with what we do not have is refused before anything runs; what Spark refuses too fails on the first row.
arrow::Status CheckPattern(const ExprPtr& pattern) {
  std::string storage;
  const std::string* text = ConstantText(pattern, &storage);
  if (text == nullptr) return arrow::Status::OK();
  const arrow::Status status = DateTimePattern::Make(*text).status();
  return !status.ok() && KindOf(status) == ErrorKind::kUnsupported ? status : arrow::Status::OK();
}

void FormatInstant(Writer<Text>& out, const DateTimePattern& pattern, const TimeZone& zone, int64_t micros) {
  pattern.Format(micros, zone, out.data());
}

arrow::Result<ExprPtr> BindDateFormat(const CallSite& site) {
  // A timestamp without zone is shown as it is: it becomes the instant of that wall time in the session's zone.
  ARROW_ASSIGN_OR_RAISE(auto time, CoerceTo(site[0], Timestamp()));
  ARROW_ASSIGN_OR_RAISE(auto pattern, CoerceTo(site[1], arrow::utf8()));
  ARROW_RETURN_NOT_OK(CheckPattern(pattern));
  return Expr::Call(site.name, arrow::utf8(), {time, pattern}, PatternKernel<Text, int64_t>(arrow::utf8(), FormatInstant));
}

arrow::Result<ExprPtr> BindFromUnixtime(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto seconds, CoerceTo(site[0], arrow::int64()));
  ARROW_ASSIGN_OR_RAISE(auto pattern, CoerceTo(site.size() > 1 ? site[1] : StringLiteral(kDefaultPattern), arrow::utf8()));
  ARROW_RETURN_NOT_OK(CheckPattern(pattern));
  return Expr::Call(site.name, arrow::utf8(), {seconds, pattern},
                    PatternKernel<Text, int64_t>(arrow::utf8(), [](Writer<Text>& out, const DateTimePattern& p, const TimeZone& zone, int64_t value) {
                      int64_t micros = 0;
                      if (__builtin_mul_overflow(value, kMicrosPerSecond, &micros)) {
                        return out.Fail(base::InvalidArgument("[ARITHMETIC_OVERFLOW] Long overflow in from_unixtime: ", value));
                      }
                      p.Format(micros, zone, out.data());
                    }));
}

// What a parsed text becomes.
enum class Target { kTimestamp, kTimestampNtz, kDate, kUnixSeconds };

template <typename Out>
void ParseText(Writer<Out>& out, const DateTimePattern& pattern, const TimeZone& zone, Text text, Target target, bool null_on_failure) {
  int64_t micros = 0;
  const bool local = target == Target::kTimestampNtz;
  if (!(local ? pattern.ParseLocal(text, &micros) : pattern.Parse(text, zone, &micros))) {
    if (null_on_failure) return out.Null();
    return out.Fail(base::InvalidArgument("[CANNOT_PARSE_TIMESTAMP.WITH_SUGGESTION] Text could not be parsed by the datetime pattern; use `try_to_timestamp`: '", text, "'"));
  }
  if constexpr (std::is_same_v<Out, int32_t>) {
    out.Set(static_cast<int32_t>(FloorDiv(zone.ToLocalMicros(micros), kMicrosPerDay)));
  } else {
    out.Set(target == Target::kUnixSeconds ? micros / kMicrosPerSecond : micros);
  }
}

arrow::Result<ExprPtr> ParseCall(const CallSite& site, const ExprPtr& text, ExprPtr pattern, Target target, bool null_on_failure) {
  ARROW_ASSIGN_OR_RAISE(pattern, CoerceTo(pattern, arrow::utf8()));
  ARROW_RETURN_NOT_OK(CheckPattern(pattern));
  if (target == Target::kDate) {
    return Expr::Call(site.name, arrow::date32(), {text, pattern},
                      PatternKernel<int32_t, Text>(arrow::date32(), [=](Writer<int32_t>& out, const DateTimePattern& p, const TimeZone& zone, Text value) {
                        ParseText(out, p, zone, value, target, null_on_failure);
                      }));
  }
  const TypePtr type = target == Target::kUnixSeconds ? arrow::int64() : target == Target::kTimestampNtz ? TimestampNtz() : Timestamp();
  return Expr::Call(site.name, type, {text, pattern},
                    PatternKernel<int64_t, Text>(type, [=](Writer<int64_t>& out, const DateTimePattern& p, const TimeZone& zone, Text value) {
                      ParseText(out, p, zone, value, target, null_on_failure);
                    }));
}

// to_date and to_timestamp: a cast without a pattern; with one, anything but a string is cast too.
Binder To(Target target, bool null_on_failure) {
  return [=](const CallSite& site) -> arrow::Result<ExprPtr> {
    const TypePtr type = target == Target::kDate ? arrow::date32() : target == Target::kTimestampNtz ? TimestampNtz() : Timestamp();
    const ExprPtr& value = site[0];
    if (site.size() == 1 || !IsString(*value->type())) return BindCast(value, type, null_on_failure);
    return ParseCall(site, value, site[1], target, null_on_failure);
  };
}

arrow::Result<ExprPtr> BindUnixTimestamp(const CallSite& site) {
  if (site.size() == 0) {
    return Expr::Literal(std::make_shared<arrow::Int64Scalar>(FloorDiv(site.context->statement_time_us, kMicrosPerSecond)));
  }
  if (IsString(site.type(0))) {
    return ParseCall(site, site[0], site.size() > 1 ? site[1] : StringLiteral(kDefaultPattern), Target::kUnixSeconds, false);
  }
  ARROW_ASSIGN_OR_RAISE(auto time, CoerceTo(site[0], Timestamp()));
  return Expr::Call(site.name, arrow::int64(), {time}, RowKernel<int64_t, int64_t>(arrow::int64(), [](Writer<int64_t>& out, int64_t micros) {
                      out.Set(micros / kMicrosPerSecond);  // towards zero, unlike unix_seconds
                    }));
}

// Times by a datetime pattern, binaries by the name of an encoding.
arrow::Result<ExprPtr> BindToChar(const CallSite& site) {
  const arrow::DataType& type = site.type(0);
  if (type.id() == arrow::Type::DATE32 || IsTimestamp(type)) return BindDateFormat(site);
  if (type.id() != arrow::Type::BINARY) return base::Unsupported("Not supported: ", site.name, " of ", TypeName(type));
  std::string storage;
  const std::string* format = ConstantText(site[1], &storage);
  std::string lower;
  if (format != nullptr) AppendLower(*format, &lower);
  if (lower == "base64" || lower == "hex") return BindCall(lower, {site[0]}, *site.context);
  if (lower == "utf-8") return BindCall("decode", {site[0], StringLiteral(lower)}, *site.context);
  return base::InvalidArgument("[INVALID_PARAMETER_VALUE.BINARY_FORMAT] The format of ", site.name, " must be base64, hex or utf-8");
}

}  // namespace

void AddDateFormatFunctions(FunctionTable* table) {
  table->Add({"date_format"}, 2, 2, BindDateFormat);
  table->Add({"to_char", "to_varchar"}, 2, 2, BindToChar);
  table->Add({"from_unixtime"}, 1, 2, BindFromUnixtime);
  table->Add({"to_date"}, 1, 2, To(Target::kDate, false));
  table->Add({"try_to_date"}, 1, 2, To(Target::kDate, true));
  table->Add({"to_timestamp", "to_timestamp_ltz"}, 1, 2, To(Target::kTimestamp, false));
  table->Add({"try_to_timestamp"}, 1, 2, To(Target::kTimestamp, true));
  table->Add({"to_timestamp_ntz"}, 1, 2, To(Target::kTimestampNtz, false));
  table->Add({"unix_timestamp"}, 0, 2, BindUnixTimestamp);
  table->Add({"to_unix_timestamp"}, 1, 2, BindUnixTimestamp);
}

}  // namespace vecruntime::expr
