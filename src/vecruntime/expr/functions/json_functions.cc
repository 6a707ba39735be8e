// SPDX-License-Identifier: Apache-2.0
// get_json_object, json_array_length, to_json.
#include <arrow/array.h>
#include <arrow/scalar.h>

#include <cmath>
#include <map>
#include <optional>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/cast/value_text.h"
#include "vecruntime/expr/datetime_pattern.h"
#include "vecruntime/expr/evaluator.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/collection.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/functions/json_reader.h"
#include "vecruntime/expr/number_text.h"
#include "vecruntime/expr/row_kernel.h"

namespace vecruntime::expr {
namespace {

using Text = std::string_view;
using Out = Writer<Text>;

// ------------------------------------------------------------------------------------------------------------ get_json_object

// A step of a path: a member by name, or an element by index.
struct PathStep {
  std::string name;
  int64_t index = -1;  // -1: by name
};

// nullopt for what Spark takes for no path, which finds nothing.
using Path = std::optional<std::vector<PathStep>>;

arrow::Status Wildcard(Text path) { return base::Unsupported("Not supported: wildcards in the path of get_json_object: ", path); }

arrow::Result<Path> ParsePath(Text path) {
  if (!path.starts_with('$')) return Path();
  std::vector<PathStep> steps;
  for (size_t at = 1; at < path.size();) {
    if (path[at] == '.') {
      const size_t end = std::min(path.find_first_of(".[", at + 1), path.size());
      const Text name = path.substr(at + 1, end - at - 1);
      if (name.empty()) return Path();
      if (name == "*") return Wildcard(path);
      steps.push_back({std::string(name)});
      at = end;
    } else if (path.substr(at, 2) == "['") {
      const size_t end = path.find("']", at + 2);
      if (end == Text::npos) return Path();
      const Text name = path.substr(at + 2, end - at - 2);
      if (name.empty() || name.find_first_of("'?") != Text::npos) return Path();
      if (name == "*") return Wildcard(path);
      steps.push_back({std::string(name)});
      at = end + 2;
    } else if (path[at] == '[') {
      const size_t end = path.find(']', at);
      if (end == Text::npos) return Path();
      const Text digits = path.substr(at + 1, end - at - 1);
      if (digits == "*") return Wildcard(path);
      PathStep step;
      if (digits.starts_with('+') || !ParseInteger(digits, &step.index) || step.index < 0) return Path();
      steps.push_back(step);
      at = end + 1;
    } else {
      return Path();
    }
  }
  return Path(std::move(steps));
}

// Takes the next value; what the rest of the path leads to in it goes to `out`, and `found` says whether there is any. Once found, the
// rest of the text is still read: malformed text holds nothing.
bool Search(JsonReader* reader, const std::vector<PathStep>& path, size_t step, std::string* out, bool* found) {
  const auto level = static_cast<int>(step);
  if (step == path.size()) return *found = reader->CopyRaw(level, out);
  const bool by_name = path[step].index < 0;
  if (reader->Peek() != (by_name ? '{' : '[')) return reader->Skip(level);
  if (!reader->CheckLevel(level)) return false;
  reader->Take(by_name ? '{' : '[');
  const char close = by_name ? '}' : ']';
  std::string name;
  for (int64_t place = 0; !reader->Take(close); ++place) {
    if (place > 0 && !reader->Take(',')) return reader->Fail();
    if (by_name && !reader->Name(&name)) return false;
    const bool here = !*found && (by_name ? name == path[step].name : place == path[step].index);
    const bool null_member = here && by_name && reader->Peek() == 'n';
    if (here && !null_member ? !Search(reader, path, step + 1, out, found) : !reader->Skip(level + 1)) return false;
  }
  return reader->ok();
}

arrow::Result<ExprPtr> BindGetJsonObject(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto json, CoerceTo(site[0], arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(auto path, CoerceTo(site[1], arrow::utf8()));
  std::string storage;
  if (const std::string* constant = ConstantText(path, &storage)) ARROW_RETURN_NOT_OK(ParsePath(*constant).status());
  Kernel kernel = [](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    std::map<std::string, Path, std::less<>> paths;
    std::string value;
    return RunRows<Text, Text, Text>(call, arrow::utf8(), [&](Out& out, Text text, Text written) {
      auto known = paths.find(written);
      if (known == paths.end()) {
        auto parsed = ParsePath(written);
        if (!parsed.ok()) return out.Fail(parsed.status());
        if (paths.size() > 256) paths.clear();
        known = paths.emplace(std::string(written), *std::move(parsed)).first;
      }
      if (!known->second) return out.Null();
      JsonReader reader(text);
      bool found = false;
      value.clear();
      if (!Search(&reader, *known->second, 0, &value, &found) || !found) return out.Null();
      out.Set(value);
    });
  };
  return Expr::Call(site.name, arrow::utf8(), {json, path}, kernel);
}

void ArrayLength(Writer<int32_t>& out, Text text) {
  JsonReader reader(text);
  if (!reader.Take('[')) return out.Null();
  int32_t count = 0;
  for (; !reader.Take(']'); ++count) {
    if (count > 0 && !reader.Take(',')) return out.Null();
    if (!reader.Skip(1)) return out.Null();
  }
  out.Set(count);
}

// -------------------------------------------------------------------------------------------------------------------- to_json

// Writes values as Spark's JacksonGenerator does.
class JsonWriter {
 public:
  static arrow::Result<JsonWriter> Make(const EvalContext& context, bool ignore_nulls) {
    JsonWriter writer;
    writer.ignore_nulls_ = ignore_nulls;
    ARROW_ASSIGN_OR_RAISE(writer.zone_, TimeZone::Find(context.timezone));
    ARROW_ASSIGN_OR_RAISE(writer.utc_, TimeZone::Find("UTC"));
    ARROW_ASSIGN_OR_RAISE(writer.timestamp_, DateTimePattern::Make("yyyy-MM-dd'T'HH:mm:ss.SSSXXX"));
    ARROW_ASSIGN_OR_RAISE(writer.local_, DateTimePattern::Make("yyyy-MM-dd'T'HH:mm:ss.SSS"));
    return writer;
  }

  void Append(const arrow::Array& values, int64_t row, std::string* out) const {
    if (values.IsNull(row)) {
      out->append("null");
      return;
    }
    switch (values.type_id()) {
      case arrow::Type::BOOL:
        out->append(static_cast<const arrow::BooleanArray&>(values).Value(row) ? "true" : "false");
        return;
      case arrow::Type::FLOAT: {
        const float value = static_cast<const arrow::FloatArray&>(values).Value(row);
        return AppendReal(std::isfinite(value), [&] { AppendFloat(value, out); }, out);
      }
      case arrow::Type::DOUBLE: {
        const double value = static_cast<const arrow::DoubleArray&>(values).Value(row);
        return AppendReal(std::isfinite(value), [&] { AppendDouble(value, out); }, out);
      }
      case arrow::Type::INT8:
      case arrow::Type::INT16:
      case arrow::Type::INT32:
      case arrow::Type::INT64:
        return AppendValueText(values, row, *utc_, out);
      case arrow::Type::DECIMAL128:
        return AppendBigDecimal(static_cast<const arrow::Decimal128Array&>(values), row, out);
      case arrow::Type::STRING:
        return AppendJsonString(static_cast<const arrow::StringArray&>(values).GetView(row), out);
      case arrow::Type::TIMESTAMP:
        return AppendTimestamp(values, row, out);
      case arrow::Type::LIST:
        return AppendList(static_cast<const arrow::ListArray&>(values), row, out);
      case arrow::Type::MAP:
        return AppendMap(static_cast<const arrow::MapArray&>(values), row, out);
      case arrow::Type::STRUCT:
        return AppendStruct(static_cast<const arrow::StructArray&>(values), row, out);
      default: {  // dates and intervals
        std::string text;
        AppendValueText(values, row, *utc_, &text);
        return AppendJsonString(text, out);
      }
    }
  }

 private:
  JsonWriter() = default;

  template <typename Number>
  static void AppendReal(bool finite, Number number, std::string* out) {
    if (!finite) out->push_back('"');
    number();
    if (!finite) out->push_back('"');
  }

  // java.math.BigDecimal.toString: an exponent where plain digits would begin with more than five zeros.
  static void AppendBigDecimal(const arrow::Decimal128Array& values, int64_t row, std::string* out) {
    const int scale = static_cast<const arrow::Decimal128Type&>(*values.type()).scale();
    const arrow::Decimal128 value(values.GetValue(row));
    std::string digits = value.ToIntegerString();
    const bool negative = digits.starts_with('-');
    if (negative) digits.erase(0, 1);
    const int exponent = static_cast<int>(digits.size()) - 1 - scale;
    if (exponent >= -6) {
      out->append(value.ToString(scale));
      return;
    }
    if (negative) out->push_back('-');
    out->push_back(digits[0]);
    if (digits.size() > 1) out->append(".").append(digits, 1);
    out->append("E").append(std::to_string(exponent));
  }

  void AppendTimestamp(const arrow::Array& values, int64_t row, std::string* out) const {
    const int64_t micros = static_cast<const arrow::TimestampArray&>(values).Value(row);
    const bool zoned = IsZoned(*values.type());
    out->push_back('"');
    (zoned ? *timestamp_ : *local_).Format(micros, zoned ? *zone_ : *utc_, out);
    out->push_back('"');
  }

  void AppendList(const arrow::ListArray& lists, int64_t row, std::string* out) const {
    out->push_back('[');
    for (int64_t k = lists.value_offset(row); k < lists.value_offset(row + 1); ++k) {
      if (k > lists.value_offset(row)) out->push_back(',');
      Append(*lists.values(), k, out);
    }
    out->push_back(']');
  }

  void AppendMap(const arrow::MapArray& maps, int64_t row, std::string* out) const {
    out->push_back('{');
    std::string key;
    for (int64_t k = maps.value_offset(row); k < maps.value_offset(row + 1); ++k) {
      if (k > maps.value_offset(row)) out->push_back(',');
      key.clear();
      AppendValueText(*maps.keys(), k, *utc_, &key);
      AppendJsonString(key, out);
      out->push_back(':');
      Append(*maps.items(), k, out);
    }
    out->push_back('}');
  }

  void AppendStruct(const arrow::StructArray& structs, int64_t row, std::string* out) const {
    out->push_back('{');
    bool first = true;
    for (int field = 0; field < structs.num_fields(); ++field) {
      const arrow::Array& values = *structs.field(field);
      if (ignore_nulls_ && values.IsNull(row)) continue;
      if (!first) out->push_back(',');
      first = false;
      AppendJsonString(structs.type()->field(field)->name(), out);
      out->push_back(':');
      Append(values, row, out);
    }
    out->push_back('}');
  }

  bool ignore_nulls_ = true;
  std::shared_ptr<const TimeZone> zone_, utc_;
  std::optional<DateTimePattern> timestamp_, local_;
};

// What JsonWriter has no text for; nullptr when it has for all of it.
const arrow::DataType* Unwritable(const arrow::DataType& type) {
  if (type.id() == arrow::Type::BINARY || type.id() == arrow::Type::TIME64 || type.id() == arrow::Type::NA) return &type;
  if (IsTimestamp(type)) return static_cast<const arrow::TimestampType&>(type).unit() == arrow::TimeUnit::MICRO ? nullptr : &type;
  if (IsMap(type)) {
    const auto& map = static_cast<const arrow::MapType&>(type);
    const bool plain_key = IsString(*map.key_type()) || IsIntegral(*map.key_type()) || map.key_type()->id() == arrow::Type::BOOL;
    return plain_key ? Unwritable(*map.item_type()) : &type;
  }
  for (const auto& field : type.fields()) {
    if (const arrow::DataType* inner = Unwritable(*field->type())) return inner;
  }
  return nullptr;
}

// The one option that changes the text of a value; others are refused.
arrow::Result<bool> IgnoreNullFields(const CallSite& site) {
  if (site.size() < 2) return true;
  const ExprPtr options = FoldConstants(site[1], *site.context);
  if (options->kind() != ExprKind::kLiteral || !IsMap(*options->type()) || !options->value()->is_valid) {
    return base::InvalidArgument("[INVALID_OPTIONS.NON_MAP_FUNCTION] The options of to_json must be a constant map of strings");
  }
  const auto& entries = static_cast<const arrow::StructArray&>(*static_cast<const arrow::MapScalar&>(*options->value()).value);
  if (entries.length() == 0) return true;
  if (!IsString(*entries.field(0)->type()) || !IsString(*entries.field(1)->type())) {
    return base::InvalidArgument("[INVALID_OPTIONS.NON_STRING_TYPE] The options of to_json must be a constant map of strings");
  }
  const auto& name = static_cast<const arrow::StringArray&>(*entries.field(0));
  const auto& value = static_cast<const arrow::StringArray&>(*entries.field(1));
  const bool known = entries.length() == 1 && name.GetView(0) == "ignoreNullFields" && value.IsValid(0) && (value.GetView(0) == "true" || value.GetView(0) == "false");
  if (!known) return base::Unsupported("Not supported: options of to_json other than ignoreNullFields");
  return value.GetView(0) == "true";
}

arrow::Result<ExprPtr> BindToJson(const CallSite& site) {
  if (site.type(0).id() == arrow::Type::NA) return NullLiteral(arrow::utf8());
  if (!IsNested(site.type(0))) {
    return base::InvalidArgument("[DATATYPE_MISMATCH.INVALID_JSON_SCHEMA] to_json needs a struct, an array or a map, not ", TypeName(site.type(0)));
  }
  if (const arrow::DataType* type = Unwritable(site.type(0))) return base::Unsupported("Not supported: to_json of ", TypeName(*type));
  ARROW_ASSIGN_OR_RAISE(const bool ignore_nulls, IgnoreNullFields(site));
  Kernel kernel = [ignore_nulls](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    ARROW_ASSIGN_OR_RAISE(const JsonWriter writer, JsonWriter::Make(context, ignore_nulls));
    const auto values = arrow::MakeArray(call.argument(0).data);
    columnar::Selection valid = call.ValidRows();
    Out out(&valid, call.num_rows());
    ARROW_RETURN_NOT_OK(out.Reserve(context.pool));
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      out.Begin(row);
      if (valid.IsLive(row) && rows.IsLive(row)) writer.Append(*values, call.argument(0).RowOf(row), out.data());
      out.End();
    }
    if (out.failed()) return out.status();
    return out.Finish(arrow::utf8(), context.pool);
  };
  return Expr::Call(site.name, arrow::utf8(), {site[0]}, kernel);
}

}  // namespace

void AddJsonFunctions(FunctionTable* table) {
  table->Add({"get_json_object"}, 2, 2, BindGetJsonObject);
  table->AddSimple({"json_array_length"}, {arrow::utf8()}, arrow::int32(), RowKernel<int32_t, Text>(arrow::int32(), ArrayLength));
  table->Add({"to_json"}, 1, 2, BindToJson);
}

}  // namespace vecruntime::expr
