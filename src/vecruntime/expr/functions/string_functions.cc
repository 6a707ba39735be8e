// SPDX-License-Identifier: Apache-2.0
// Functions that make strings from strings: case, trimming, padding, cutting, replacing, concatenating, formatting.
#include <arrow/array.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/cast/value_text.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/number_text.h"
#include "vecruntime/expr/row_kernel.h"
#include "vecruntime/expr/utf8.h"

namespace vecruntime::expr {
namespace {

using Text = std::string_view;
using Out = Writer<Text>;

const TypePtr& Utf8() {
  static const TypePtr type = arrow::utf8();
  return type;
}

// A function of strings (implicitly cast) to a string.
template <typename... In, typename Body>
void AddText(FunctionTable* table, std::initializer_list<Text> names, std::vector<TypePtr> parameters, Body body,
             std::vector<ExprPtr> defaults = {}) {
  table->AddSimple(names, std::move(parameters), Utf8(), RowKernel<Text, In...>(Utf8(), body), std::move(defaults));
}

// --------------------------------------------------------------------------------------------------------------- trimming

enum class Side { kBoth, kLeft, kRight };

// Removes characters of `set` from the sides, character by character.
Text TrimSet(Text text, Text set, Side side) {
  const auto in_set = [set](Text character) {
    for (size_t at = 0; at < set.size(); at += CharacterSize(set[at])) {
      if (set.substr(at, CharacterSize(set[at])) == character) return true;
    }
    return false;
  };
  if (side != Side::kRight) {
    while (!text.empty() && in_set(text.substr(0, CharacterSize(text[0])))) text.remove_prefix(std::min(text.size(), CharacterSize(text[0])));
  }
  if (side != Side::kLeft) {
    while (!text.empty()) {
      size_t last = text.size() - 1;
      while (last > 0 && (static_cast<uint8_t>(text[last]) & 0xC0) == 0x80) --last;
      if (!in_set(text.substr(last))) break;
      text.remove_suffix(text.size() - last);
    }
  }
  return text;
}

// `set_first`: the two-argument forms of trim, ltrim and rtrim take the characters first, btrim takes them second.
Binder Trim(Side side, bool set_first) {
  return [side, set_first](const CallSite& site) -> arrow::Result<ExprPtr> {
    ExprPtr text = site[0], set = StringLiteral(" ");
    if (site.size() == 2) {
      text = site[set_first ? 1 : 0];
      set = site[set_first ? 0 : 1];
    }
    ARROW_ASSIGN_OR_RAISE(text, CoerceTo(text, Utf8()));
    ARROW_ASSIGN_OR_RAISE(set, CoerceTo(set, Utf8()));
    return Expr::Call(site.name, Utf8(), {text, set},
                      RowKernel<Text, Text, Text>(Utf8(), [side](Out& out, Text value, Text characters) {
                        out.Set(TrimSet(value, characters, side));
                      }));
  };
}

// ------------------------------------------------------------------------------------------------------- cutting, padding

constexpr int32_t kWhole = std::numeric_limits<int32_t>::max();

Text SubstringOfBytes(Text value, int64_t position, int64_t length) {
  const auto size = static_cast<int64_t>(value.size());
  const int64_t start = position > 0 ? position - 1 : position < 0 ? size + position : 0;
  const int64_t end = std::min(size, start + length);
  const int64_t begin = std::max<int64_t>(start, 0);
  return begin < end ? value.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)) : Text();
}

bool IsBinary(const arrow::DataType& type) { return type.id() == arrow::Type::BINARY; }

// Strings by characters, binaries by bytes.
Binder Substring() {
  return [](const CallSite& site) -> arrow::Result<ExprPtr> {
    const bool binary = IsBinary(site.type(0));
    const TypePtr type = binary ? arrow::binary() : Utf8();
    ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[0], type));
    ARROW_ASSIGN_OR_RAISE(auto position, CoerceTo(site[1], arrow::int32()));
    ARROW_ASSIGN_OR_RAISE(auto length, site.size() > 2 ? CoerceTo(site[2], arrow::int32()) : arrow::Result<ExprPtr>(IntLiteral(kWhole)));
    Kernel kernel = RowKernel<Text, Text, int32_t, int32_t>(type, [binary](Out& out, Text value, int32_t pos, int32_t count) {
      out.Set(binary ? SubstringOfBytes(value, pos, count) : SubstringSql(value, pos, count));
    });
    return Expr::Call(site.name, type, {text, position, length}, kernel);
  };
}

void Pad(Out& out, Text text, int32_t width, Text pad, bool left) {
  if (width <= 0) return;
  const int64_t count = CharacterCount(text);
  if (count >= width || pad.empty()) return out.Set(Characters(text, 0, width));
  const int64_t missing = width - count;
  const int64_t pad_count = CharacterCount(pad);
  if (!out.Fits(static_cast<int64_t>(text.size()) + (missing / pad_count + 1) * static_cast<int64_t>(pad.size()))) return;
  if (!left) out.Append(text);
  for (int64_t k = 0; k < missing / pad_count; ++k) out.Append(pad);
  out.Append(Characters(pad, 0, missing % pad_count));
  if (left) out.Append(text);
}

void PadBytes(Out& out, Text bytes, int32_t width, Text pad, bool left) {
  if (width <= 0) return;
  const auto size = static_cast<int64_t>(bytes.size());
  if (size >= width || pad.empty()) return out.Set(bytes.substr(0, static_cast<size_t>(width)));
  if (!out.Fits(width)) return;
  if (!left) out.Append(bytes);
  for (int64_t k = 0; k < width - size; ++k) out.Append(pad[static_cast<size_t>(k) % pad.size()]);
  if (left) out.Append(bytes);
}

// A binary is padded by bytes, with zeros when nothing else is said; a binary beside a string is a string.
Binder PadTo(bool left) {
  return [left](const CallSite& site) -> arrow::Result<ExprPtr> {
    const bool binary = IsBinary(site.type(0)) && (site.size() < 3 || IsBinary(site.type(2)));
    const TypePtr type = binary ? arrow::binary() : Utf8();
    ExprPtr pad = site.size() > 2 ? site[2] : StringLiteral(" ");
    if (binary && site.size() < 3) pad = Expr::Literal(std::make_shared<arrow::BinaryScalar>(std::string(1, '\0')));
    ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[0], type));
    ARROW_ASSIGN_OR_RAISE(auto width, CoerceTo(site[1], arrow::int32()));
    ARROW_ASSIGN_OR_RAISE(pad, CoerceTo(pad, type));
    return Expr::Call(site.name, type, {text, width, pad},
                      RowKernel<Text, Text, int32_t, Text>(type, [left, binary](Out& out, Text value, int32_t count, Text with) {
                        binary ? PadBytes(out, value, count, with, left) : Pad(out, value, count, with, left);
                      }));
  };
}

void Repeat(Out& out, Text text, int32_t times) {
  if (times <= 0 || !out.Fits(static_cast<int64_t>(text.size()) * times)) return;
  for (int32_t k = 0; k < times && !text.empty(); ++k) out.Append(text);
}

void Reverse(Out& out, Text text) {
  std::vector<Text> characters;
  for (size_t at = 0; at < text.size(); at += CharacterSize(text[at])) characters.push_back(text.substr(at, CharacterSize(text[at])));
  for (auto character = characters.rbegin(); character != characters.rend(); ++character) out.Append(*character);
}

void Replace(Out& out, Text text, Text search, Text replacement) {
  if (search.empty()) return out.Set(text);
  size_t at = 0;
  for (size_t found = text.find(search); found != Text::npos; found = text.find(search, at)) {
    out.Append(text.substr(at, found - at));
    out.Append(replacement);
    at = found + search.size();
  }
  out.Append(text.substr(at));
}

void Translate(Out& out, Text text, Text from, Text to) {
  for (size_t at = 0; at < text.size();) {
    const Text character = text.substr(at, CharacterSize(text[at]));
    at += character.size();
    int64_t index = 0;
    bool mapped = false;
    for (size_t f = 0; f < from.size() && !mapped; ++index) {
      const Text candidate = from.substr(f, CharacterSize(from[f]));
      f += candidate.size();
      mapped = candidate == character;
    }
    out.Append(mapped ? Characters(to, index - 1, index) : character);
  }
}

void Overlay(Out& out, Text text, Text replacement, int32_t position, int32_t length) {
  if (length < 0) length = static_cast<int32_t>(CharacterCount(replacement));
  out.Append(SubstringSql(text, 1, position - 1));
  out.Append(replacement);
  const int64_t rest = int64_t{position} + length;
  out.Append(SubstringSql(text, static_cast<int32_t>(std::clamp<int64_t>(rest, std::numeric_limits<int32_t>::min(), kWhole)), kWhole));
}

void OverlayBytes(Out& out, Text bytes, Text replacement, int32_t position, int32_t length) {
  out.Append(SubstringOfBytes(bytes, 1, int64_t{position} - 1));
  out.Append(replacement);
  out.Append(SubstringOfBytes(bytes, int64_t{position} + (length < 0 ? static_cast<int64_t>(replacement.size()) : length), kWhole));
}

arrow::Result<ExprPtr> BindOverlay(const CallSite& site) {
  const bool binary = IsBinary(site.type(0));
  if (IsBinary(site.type(1)) != binary && site.type(0).id() != arrow::Type::NA && site.type(1).id() != arrow::Type::NA) {
    return base::InvalidArgument("[DATATYPE_MISMATCH.DATA_DIFF_TYPES] overlay needs two strings or two binaries, not ", TypeName(site.type(0)), " and ", TypeName(site.type(1)));
  }
  const TypePtr type = binary ? arrow::binary() : Utf8();
  ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[0], type));
  ARROW_ASSIGN_OR_RAISE(auto replacement, CoerceTo(site[1], type));
  ARROW_ASSIGN_OR_RAISE(auto position, CoerceTo(site[2], arrow::int32()));
  ARROW_ASSIGN_OR_RAISE(auto length, CoerceTo(site.size() > 3 ? site[3] : IntLiteral(-1), arrow::int32()));
  Kernel kernel = binary ? RowKernel<Text, Text, Text, int32_t, int32_t>(type, OverlayBytes)
                         : RowKernel<Text, Text, Text, int32_t, int32_t>(type, Overlay);
  return Expr::Call(site.name, type, {text, replacement, position, length}, kernel);
}

void SubstringIndex(Out& out, Text text, Text delimiter, int32_t count) {
  if (count == 0 || delimiter.empty()) return;
  if (count > 0) {
    size_t at = 0;
    for (size_t from = 0;; from = at + 1) {
      at = text.find(delimiter, from);
      if (at == Text::npos) return out.Set(text);
      if (--count == 0) return out.Set(text.substr(0, at));
    }
  }
  if (delimiter.size() > text.size()) return out.Set(text);
  for (size_t from = Text::npos;;) {
    const size_t at = text.rfind(delimiter, from);
    if (at == Text::npos) return out.Set(text);
    if (++count == 0) return out.Set(text.substr(at + delimiter.size()));
    if (at == 0) return out.Set(text);
    from = at - 1;
  }
}

void SplitPart(Out& out, Text text, Text delimiter, int32_t part) {
  if (part == 0) return out.Fail(base::InvalidArgument("[INVALID_INDEX_OF_ZERO] The index 0 is invalid; parts count from 1 or -1"));
  std::vector<Text> parts;
  size_t at = 0;
  for (size_t found = delimiter.empty() ? Text::npos : text.find(delimiter); found != Text::npos; found = text.find(delimiter, at)) {
    parts.push_back(text.substr(at, found - at));
    at = found + delimiter.size();
  }
  parts.push_back(text.substr(at));
  const auto count = static_cast<int64_t>(parts.size());
  const int64_t index = part > 0 ? part - 1 : count + part;
  if (index >= 0 && index < count) out.Set(parts[static_cast<size_t>(index)]);
}

void Soundex(Out& out, Text text) {
  if (text.empty()) return;
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };
  char first = upper(text[0]);
  if (first < 'A' || first > 'Z') return out.Set(text);
  constexpr Text kCodes = "01230127022455012623017202";  // '7' marks H and W, which do not separate equal codes
  std::string code(1, first);
  char last = kCodes[static_cast<size_t>(first - 'A')];
  for (size_t k = 1; k < text.size() && code.size() < 4; ++k) {
    const char c = upper(text[k]);
    if (c < 'A' || c > 'Z') {
      last = '0';
      continue;
    }
    const char digit = kCodes[static_cast<size_t>(c - 'A')];
    if (digit == '7') continue;
    if (digit != '0' && digit != last) code.push_back(digit);
    last = digit;
  }
  code.resize(4, '0');
  out.Set(code);
}

// ----------------------------------------------------------------------------------------------------------- concatenating

arrow::Result<ExprPtr> BindConcat(const CallSite& site) {
  if (site.size() == 0) return StringLiteral("");
  bool all_binary = true, any_list = false;
  for (const ExprPtr& argument : site.arguments) {
    all_binary &= argument->type()->id() == arrow::Type::BINARY;
    any_list |= argument->type()->id() == arrow::Type::LIST;
  }
  if (any_list && std::ranges::any_of(site.arguments, [](const ExprPtr& argument) { return argument->type()->id() == arrow::Type::NA; })) {
    return base::InvalidArgument("[DATATYPE_MISMATCH.DATA_DIFF_TYPES] Arrays and NULL cannot be concatenated");
  }
  if (any_list) return BindCall("concat_arrays", site.arguments, *site.context);
  const TypePtr type = all_binary ? arrow::binary() : Utf8();
  std::vector<ExprPtr> arguments;
  for (const ExprPtr& argument : site.arguments) {
    ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(argument, type));
    arguments.push_back(std::move(text));
  }
  Kernel kernel = [type](const std::vector<arrow::Datum>& inputs, const columnar::Selection& rows,
                         const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(inputs, rows, context));
    std::vector<Column<Text>> columns;
    for (const Argument& argument : call.arguments()) columns.emplace_back(argument);
    columnar::Selection valid = call.ValidRows();
    Out out(&valid, rows.length());
    ARROW_RETURN_NOT_OK(out.Reserve(context.pool));
    for (int64_t row = 0; row < rows.length(); ++row) {
      out.Begin(row);
      if (valid.IsLive(row) && rows.IsLive(row)) {
        for (const auto& column : columns) out.Append(column[row]);
      }
      out.End();
    }
    if (out.failed()) return out.status();
    return out.Finish(type, context.pool);
  };
  return Expr::Call(site.name, type, arguments, kernel);
}

// concat_ws skips NULLs and takes arrays of strings apart.
arrow::Result<ExprPtr> BindConcatWs(const CallSite& site) {
  std::vector<ExprPtr> arguments;
  for (size_t k = 0; k < site.size(); ++k) {
    const bool list = k > 0 && site.type(k).id() == arrow::Type::LIST;
    const TypePtr type = list ? arrow::list(arrow::field("element", Utf8())) : Utf8();
    ARROW_ASSIGN_OR_RAISE(auto argument, CoerceTo(site[k], type));
    arguments.push_back(std::move(argument));
  }
  Kernel kernel = [](const std::vector<arrow::Datum>& inputs, const columnar::Selection& rows,
                     const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(inputs, rows, context));
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const Argument& argument : call.arguments()) columns.push_back(arrow::MakeArray(argument.data));
    columnar::Selection valid = call.ValidRows(0);
    Out out(&valid, rows.length());
    ARROW_RETURN_NOT_OK(out.Reserve(context.pool));
    for (int64_t row = 0; row < rows.length(); ++row) {
      out.Begin(row);
      if (valid.IsLive(row) && rows.IsLive(row)) {
        const Text separator = static_cast<const arrow::StringArray&>(*columns[0]).GetView(call.argument(0).RowOf(row));
        bool first = true;
        const auto append = [&](const arrow::Array& strings, int64_t at) {
          if (strings.IsNull(at)) return;
          if (!first) out.Append(separator);
          first = false;
          out.Append(static_cast<const arrow::StringArray&>(strings).GetView(at));
        };
        for (size_t k = 1; k < columns.size(); ++k) {
          const int64_t at = call.argument(k).RowOf(row);
          if (columns[k]->type_id() != arrow::Type::LIST) {
            append(*columns[k], at);
          } else if (columns[k]->IsValid(at)) {
            const auto& lists = static_cast<const arrow::ListArray&>(*columns[k]);
            for (int64_t e = lists.value_offset(at); e < lists.value_offset(at + 1); ++e) append(*lists.values(), e);
          }
        }
      }
      out.End();
    }
    if (out.failed()) return out.status();
    return out.Finish(Utf8(), context.pool);
  };
  return Expr::Call(site.name, Utf8(), arguments, kernel);
}

// ------------------------------------------------------------------------------------------------------------- formatting

// One %[flags][width][.precision]conversion of java.util.Formatter.
struct FormatItem {
  std::string literal;  // text before the conversion
  std::string flags;
  int width = -1;
  int precision = -1;
  char conversion = 0;  // 0: only the literal
};

arrow::Result<std::vector<FormatItem>> ParseFormat(Text format) {
  std::vector<FormatItem> items(1);
  for (size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') {
      items.back().literal.push_back(format[at]);
      continue;
    }
    FormatItem& item = items.back();
    const auto digits = [&](int* value) {
      for (*value = 0; at < format.size() && std::isdigit(static_cast<unsigned char>(format[at])) && *value < 100000; ++at) {
        *value = *value * 10 + (format[at] - '0');
      }
    };
    for (++at; at < format.size() && Text("-+ 0,(").find(format[at]) != Text::npos; ++at) item.flags.push_back(format[at]);
    if (at < format.size() && std::isdigit(static_cast<unsigned char>(format[at]))) digits(&item.width);
    if (at < format.size() && format[at] == '.') {
      ++at;
      digits(&item.precision);
    }
    if (at >= format.size() || Text("sSdfxXceE%nbB").find(format[at]) == Text::npos) {
      return base::Unsupported("Conversion in a format string is not supported: ", format);
    }
    if (format[at] == '%') {
      item.literal.push_back('%');
    } else if (format[at] == 'n') {
      item.literal.push_back('\n');
    } else {
      item.conversion = format[at];
      items.emplace_back();
    }
  }
  return items;
}

void Group(std::string* digits) {
  const size_t begin = digits->find_first_of("0123456789");
  const size_t end = std::min(digits->find('.'), digits->size());
  for (size_t at = end; at > begin + 3;) {
    at -= 3;
    digits->insert(at, ",");
  }
}

// Width, sign and grouping flags on a finished number.
void AppendFormatted(const FormatItem& item, std::string body, bool number, std::string* out) {
  const auto flag = [&](char f) { return item.flags.find(f) != std::string::npos; };
  if (number) {
    if (flag(',')) Group(&body);
    if (body.starts_with('-') && flag('(')) {
      body = "(" + body.substr(1) + ")";
    } else if (!body.starts_with('-')) {
      if (flag('+')) body.insert(0, "+");
      if (flag(' ')) body.insert(0, " ");
    }
  }
  const auto width = static_cast<size_t>(std::max(item.width, 0));
  const auto count = static_cast<size_t>(Utf16Count(body));
  const size_t missing = width > count ? width - count : 0;
  if (flag('-')) {
    out->append(body).append(missing, ' ');
  } else if (flag('0') && number) {
    const size_t sign = body.starts_with('-') || body.starts_with('+') ? 1 : 0;
    out->append(body.substr(0, sign)).append(missing, '0').append(body.substr(sign));
  } else {
    out->append(missing, ' ').append(body);
  }
}

// The first `count` characters as Java counts them; half a pair becomes a question mark there.
std::string Utf16Prefix(Text text, int64_t count) {
  size_t at = 0;
  for (; at < text.size() && count > 0; at += CharacterSize(text[at])) {
    if (CharacterSize(text[at]) == 4 && count == 1) return std::string(text.substr(0, at)) + "?";
    count -= CharacterSize(text[at]) == 4 ? 2 : 1;
  }
  return std::string(text.substr(0, at));
}

// `values` is bigint for d, x and c, double for f and e, anything else is text.
arrow::Status AppendConversion(const FormatItem& item, const arrow::Array& values, int64_t row, const TimeZone& zone, std::string* out) {
  std::string body;
  bool number = false;
  if (values.IsNull(row)) {
    body = item.conversion == 'b' || item.conversion == 'B' ? "false" : item.conversion == 'S' ? "NULL" : "null";
    if (item.precision >= 0) body.resize(std::min(body.size(), static_cast<size_t>(item.precision)));
  } else if (values.type_id() == arrow::Type::DOUBLE && (item.conversion == 'f' || item.conversion == 'e' || item.conversion == 'E')) {
    const double value = static_cast<const arrow::DoubleArray&>(values).Value(row);
    char buffer[512];
    const char format[] = {'%', '.', '*', item.conversion, 0};
    std::snprintf(buffer, sizeof(buffer), format, item.precision < 0 ? 6 : std::min(item.precision, 100), value);
    body = std::isfinite(value) ? buffer : std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    number = std::isfinite(value);
  } else if (values.type_id() == arrow::Type::INT64 && Text("dxXc").find(item.conversion) != Text::npos) {
    const int64_t value = static_cast<const arrow::Int64Array&>(values).Value(row);
    if (item.conversion == 'c') {
      AppendCodePoint(static_cast<char32_t>(value), &body);
    } else {
      char buffer[32];
      std::snprintf(buffer, sizeof(buffer), item.conversion == 'd' ? "%" PRId64 : item.conversion == 'x' ? "%" PRIx64 : "%" PRIX64, value);
      body = buffer;
      number = true;
    }
  } else {
    AppendValueText(values, row, zone, &body);
    if (item.precision >= 0) body = Utf16Prefix(body, item.precision);
    if (item.conversion == 'S') {
      std::string upper;
      AppendUpper(body, &upper);
      body = upper;
    }
  }
  AppendFormatted(item, std::move(body), number, out);
  return arrow::Status::OK();
}

Kernel DaysOfDate() {
  return RowKernel<int32_t, int32_t>(arrow::int32(), [](Writer<int32_t>& out, int32_t days) { out.Set(days); });
}

arrow::Result<ExprPtr> BindFormatString(const CallSite& site) {
  std::string storage;
  const std::string* format = ConstantText(site[0], &storage);
  if (format == nullptr) {
    if (site[0]->kind() == ExprKind::kLiteral) return NullLiteral(Utf8());
    return base::Unsupported("Format strings that are not constant are not supported: ", site.name);
  }
  ARROW_ASSIGN_OR_RAISE(const auto items, ParseFormat(*format));
  std::vector<ExprPtr> arguments;
  for (size_t k = 0; k + 1 < items.size(); ++k) {
    if (k + 1 >= site.size()) return base::InvalidArgument("[INVALID_PARAMETER_VALUE] Format string needs more arguments: ", *format);
    ExprPtr argument = site[k + 1];
    const char conversion = items[k].conversion;
    const arrow::DataType& type = *argument->type();
    if (Text("dxXc").find(conversion) != Text::npos) {
      if (!IsIntegral(type) && type.id() != arrow::Type::NA) return WrongType(site, k + 1, "integral for this conversion");
      const bool narrow_hex = (conversion == 'x' || conversion == 'X') && type.id() != arrow::Type::INT64;
      if (narrow_hex) return base::Unsupported("Hexadecimal formatting of narrow integers is not supported: ", site.name);
      argument = CastIfNeeded(argument, arrow::int64());
    } else if (Text("feE").find(conversion) != Text::npos) {
      if (IsDecimal(type) && conversion == 'f') {
        argument = CastIfNeeded(argument, arrow::decimal128(kMaxDecimalPrecision, std::max(items[k].precision, items[k].precision < 0 ? 6 : 0)));
      } else {
        if (!IsFloating(type) && type.id() != arrow::Type::NA) return WrongType(site, k + 1, "float, double or decimal for this conversion");
        argument = CastIfNeeded(argument, arrow::float64());
      }
    }
    if (Text("sS").find(conversion) != Text::npos) {
      // Spark hands its own representation to Java's formatter.
      if (type.id() == arrow::Type::DATE32) argument = Expr::Call("unix_date", arrow::int32(), {argument}, DaysOfDate());
      if (IsNested(type) || IsBinary(type) || IsTimestamp(type) || IsInterval(type) || type.id() == arrow::Type::TIME64) {
        return base::Unsupported("Not supported: ", site.name, " of ", TypeName(type), "; cast it to string");
      }
    }
    arguments.push_back(argument);
  }
  // A constant call still needs one argument to know its rows.
  if (arguments.empty()) return StringLiteral(items[0].literal);
  Kernel kernel = [items](const std::vector<arrow::Datum>& inputs, const columnar::Selection& rows,
                          const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(inputs, rows, context));
    ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(context.timezone));
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const Argument& argument : call.arguments()) columns.push_back(arrow::MakeArray(argument.data));
    columnar::Selection valid = columnar::Selection::All(rows.length());
    Out out(&valid, rows.length());
    ARROW_RETURN_NOT_OK(out.Reserve(context.pool));
    for (int64_t row = 0; row < rows.length(); ++row) {
      out.Begin(row);
      for (size_t k = 0; k < items.size() && rows.IsLive(row); ++k) {
        out.Append(items[k].literal);
        if (items[k].conversion != 0) {
          ARROW_RETURN_NOT_OK(AppendConversion(items[k], *columns[k], call.argument(k).RowOf(row), *zone, out.data()));
        }
      }
      out.End();
    }
    if (out.failed()) return out.status();
    return out.Finish(Utf8(), context.pool);
  };
  return Expr::Call(site.name, Utf8(), arguments, kernel);
}

Int128 HalfEven(Int128 value, Int128 unit) {
  const Int128 quotient = value / unit;
  const Int128 rest = value % unit < 0 ? -(value % unit) : value % unit;
  const bool up = rest > unit - rest || (rest == unit - rest && quotient % 2 != 0);
  return up ? quotient + (value < 0 ? -1 : 1) : quotient;
}

arrow::Result<ExprPtr> BindFormatNumber(const CallSite& site) {
  if (!IsNumeric(site.type(0)) && site.type(0).id() != arrow::Type::NA) return WrongType(site, 0, "numeric");
  if (site.type(1).id() == arrow::Type::NA) return NullLiteral(Utf8());
  if (!IsIntegral(site.type(1))) return base::Unsupported("format_number with a pattern is not supported");
  ARROW_ASSIGN_OR_RAISE(auto digits, CoerceTo(site[1], arrow::int32()));
  const FormatItem grouped{"", ",", -1, -1, 'f'};
  if (IsDecimal(site.type(0))) {
    const int scale = DecimalScale(site.type(0));
    return Expr::Call(site.name, Utf8(), {site[0], digits}, RowKernel<Text, Int128, int32_t>(Utf8(), [grouped, scale](Out& out, Int128 value, int32_t places) {
                        if (places < 0) return out.Null();
                        const int kept = std::min(places, 300);
                        std::string body;
                        const bool negative_zero = value < 0 && kept < scale && HalfEven(value, PowerOfTen(scale - kept)) == 0;
                        if (negative_zero) body.push_back('-');  // as java.text.DecimalFormat
                        AppendDecimal(kept < scale ? HalfEven(value, PowerOfTen(scale - kept)) : value, std::min(kept, scale), &body);
                        if (kept > scale) body.append(scale == 0 ? "." : "").append(static_cast<size_t>(kept - scale), '0');
                        AppendFormatted(grouped, body, true, out.data());
                      }));
  }
  if (IsIntegral(site.type(0))) {
    return Expr::Call(site.name, Utf8(), {CastIfNeeded(site[0], arrow::int64()), digits},
                      RowKernel<Text, int64_t, int32_t>(Utf8(), [grouped](Out& out, int64_t value, int32_t places) {
                        if (places < 0) return out.Null();
                        std::string body;
                        AppendInteger(value, &body);
                        if (places > 0) body.append(1, '.').append(static_cast<size_t>(std::min(places, 300)), '0');
                        AppendFormatted(grouped, body, true, out.data());
                      }));
  }
  return Expr::Call(site.name, Utf8(), {CastIfNeeded(site[0], arrow::float64()), digits},
                    RowKernel<Text, double, int32_t>(Utf8(), [grouped](Out& out, double value, int32_t places) {
                      if (places < 0) return out.Null();
                      if (!std::isfinite(value)) return out.Set(std::isnan(value) ? "NaN" : value > 0 ? "\xE2\x88\x9E" : "-\xE2\x88\x9E");
                      char buffer[700];
                      std::snprintf(buffer, sizeof(buffer), "%.*f", std::min(places, 300), value);
                      AppendFormatted(grouped, buffer, true, out.data());
                    }));
}

}  // namespace

void AddStringFunctions(FunctionTable* table) {
  const TypePtr text = Utf8(), number = arrow::int32();
  AddText<Text>(table, {"upper", "ucase"}, {text}, [](Out& out, Text value) { AppendUpper(value, out.data()); });
  AddText<Text>(table, {"lower", "lcase"}, {text}, [](Out& out, Text value) { AppendLower(value, out.data()); });
  AddText<Text>(table, {"initcap"}, {text}, [](Out& out, Text value) { AppendTitle(value, out.data()); });
  AddText<Text>(table, {"soundex"}, {text}, Soundex);
  table->Add({"trim"}, 1, 2, Trim(Side::kBoth, true));
  table->Add({"btrim"}, 1, 2, Trim(Side::kBoth, false));
  table->Add({"ltrim"}, 1, 2, Trim(Side::kLeft, true));
  table->Add({"rtrim"}, 1, 2, Trim(Side::kRight, true));
  table->Add({"substring", "substr"}, 2, 3, Substring());
  table->Add({"left"}, 2, 2, [](const CallSite& site) { return BindCall("substring", {site[0], IntLiteral(1), site[1]}, *site.context); });
  AddText<Text, int32_t>(table, {"right"}, {text, number}, [](Out& out, Text value, int32_t count) {
    if (count > 0) out.Set(SubstringSql(value, -count, kWhole));
  });
  table->Add({"lpad"}, 2, 3, PadTo(true));
  table->Add({"rpad"}, 2, 3, PadTo(false));
  AddText<Text, int32_t>(table, {"repeat"}, {text, number}, Repeat);
  AddText<int32_t>(table, {"space"}, {number}, [](Out& out, int32_t count) { Repeat(out, " ", count); });
  AddText<Text>(table, {"reverse_string"}, {text}, Reverse);
  AddText<Text, Text, Text>(table, {"replace"}, {text, text, text}, Replace, {StringLiteral("")});
  AddText<Text, Text, Text>(table, {"translate"}, {text, text, text}, Translate);
  table->Add({"overlay"}, 3, 4, BindOverlay);
  AddText<Text, Text, int32_t>(table, {"substring_index"}, {text, text, number}, SubstringIndex);
  AddText<Text, Text, int32_t>(table, {"split_part"}, {text, text, number}, SplitPart);
  AddText<int64_t>(table, {"chr", "char"}, {arrow::int64()}, [](Out& out, int64_t code) {
    if (code >= 0) AppendCodePoint(static_cast<char32_t>(code & 0xFF), out.data());
  });
  table->Add({"concat", "||"}, 0, -1, BindConcat);
  table->Add({"concat_ws"}, 1, -1, BindConcatWs);
  table->Add({"format_string", "printf"}, 1, -1, BindFormatString);
  table->Add({"format_number"}, 2, 2, BindFormatNumber);
}

}  // namespace vecruntime::expr
