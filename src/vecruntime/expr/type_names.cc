// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/interval_type.h"

namespace vecruntime::expr {
namespace {

std::string TimestampName(const arrow::TimestampType& type) {
  const bool with_zone = !type.timezone().empty();
  if (type.unit() == arrow::TimeUnit::NANO) return with_zone ? "timestamptz_ns" : "timestamp_ns";
  return with_zone ? "timestamp" : "timestamp_ntz";
}

std::string IntervalName(const arrow::DataType& type) {
  std::string name = "interval " + UnitsOf(type).ToString();
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

std::string StructName(const arrow::DataType& type) {
  std::string name = "struct<";
  for (int k = 0; k < type.num_fields(); ++k) {
    if (k > 0) name += ",";
    name += type.field(k)->name() + ":" + TypeName(*type.field(k)->type());
  }
  return name + ">";
}

}  // namespace

std::string TypeName(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
      return "void";
    case arrow::Type::BOOL:
      return "boolean";
    case arrow::Type::INT8:
      return "tinyint";
    case arrow::Type::INT16:
      return "smallint";
    case arrow::Type::INT32:
      return "int";
    case arrow::Type::INT64:
      return "bigint";
    case arrow::Type::FLOAT:
      return "float";
    case arrow::Type::DOUBLE:
      return "double";
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
      return "decimal(" + std::to_string(decimal.precision()) + "," + std::to_string(decimal.scale()) + ")";
    }
    case arrow::Type::DATE32:
      return "date";
    case arrow::Type::TIMESTAMP:
      return TimestampName(static_cast<const arrow::TimestampType&>(type));
    case arrow::Type::TIME64:
      return "time(6)";
    case arrow::Type::STRING:
      return "string";
    case arrow::Type::BINARY:
      return "binary";
    case arrow::Type::DURATION:
    case arrow::Type::INTERVAL_MONTHS:
      return IntervalName(type);
    case arrow::Type::LIST:
      return "array<" + TypeName(*type.field(0)->type()) + ">";
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      return "map<" + TypeName(*map.key_type()) + "," + TypeName(*map.item_type()) + ">";
    }
    case arrow::Type::STRUCT:
      return StructName(type);
    default:
      return type.ToString();
  }
}

namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

// Recursive descent over the text of a type; depth is bounded so that hostile text cannot exhaust the stack.
class TypeParser {
 public:
  explicit TypeParser(std::string_view text) : text_(text) {}

  arrow::Result<TypePtr> Parse() {
    ARROW_ASSIGN_OR_RAISE(TypePtr type, ParseType(0));
    SkipSpace();
    if (at_ != text_.size()) return Malformed();
    return type;
  }

 private:
  static constexpr int kMaxDepth = 64;

  arrow::Status Malformed() const { return base::InvalidArgument("[UNSUPPORTED_DATATYPE] Unsupported data type: ", text_); }

  void SkipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Take(char c) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string Word() {
    SkipSpace();
    std::string word;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_++]))));
    }
    return word;
  }
  // As Word, but leaves the text alone when the next word is another.
  bool TakeWord(std::string_view expected) {
    const size_t before = at_;
    if (Word() == expected) return true;
    at_ = before;
    return false;
  }
  std::string FieldName() {
    SkipSpace();
    std::string name;
    if (at_ < text_.size() && text_[at_] == '`') {
      for (++at_; at_ < text_.size(); ++at_) {
        if (text_[at_] == '`') {
          if (at_ + 1 >= text_.size() || text_[at_ + 1] != '`') {
            ++at_;
            break;
          }
          ++at_;
        }
        name.push_back(text_[at_]);
      }
      return name;
    }
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] < 0)) {
      name.push_back(text_[at_++]);
    }
    return name;
  }
  bool Number(int* value) {
    SkipSpace();
    const size_t begin = at_;
    *value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) && at_ - begin < 9) {
      *value = *value * 10 + (text_[at_++] - '0');
    }
    return at_ > begin;
  }

  arrow::Result<TypePtr> ParseType(int depth) {
    if (depth > kMaxDepth) return Malformed();
    const std::string word = Word();
    if (word == "decimal" || word == "dec" || word == "numeric") return ParseDecimalType();
    if (word == "array") {
      if (!Take('<')) return Malformed();
      ARROW_ASSIGN_OR_RAISE(TypePtr element, ParseType(depth + 1));
      if (!Take('>')) return Malformed();
      return arrow::list(arrow::field("element", element));
    }
    if (word == "map") {
      if (!Take('<')) return Malformed();
      ARROW_ASSIGN_OR_RAISE(TypePtr key, ParseType(depth + 1));
      if (!Take(',')) return Malformed();
      ARROW_ASSIGN_OR_RAISE(TypePtr item, ParseType(depth + 1));
      if (!Take('>')) return Malformed();
      return arrow::map(key, item);
    }
    if (word == "struct") return ParseStruct(depth);
    if (word == "interval") return ParseInterval();
    if (word == "char" || word == "character" || word == "varchar") {
      int length = 0;
      if (!Take('(') || !Number(&length) || !Take(')')) return Malformed();
      return arrow::utf8();
    }
    if (word == "time" && Take('(')) {
      int precision = 0;
      if (!Number(&precision) || precision > 6 || !Take(')')) return Malformed();
      return arrow::time64(arrow::TimeUnit::MICRO);
    }
    return Simple(word);
  }

  arrow::Result<TypePtr> Simple(const std::string& word) {
    static const std::array<std::pair<std::string_view, TypePtr>, 22> kSimple = {{
        {"boolean", arrow::boolean()},
        {"tinyint", arrow::int8()},
        {"byte", arrow::int8()},
        {"smallint", arrow::int16()},
        {"short", arrow::int16()},
        {"int", arrow::int32()},
        {"integer", arrow::int32()},
        {"bigint", arrow::int64()},
        {"long", arrow::int64()},
        {"float", arrow::float32()},
        {"real", arrow::float32()},
        {"double", arrow::float64()},
        {"date", arrow::date32()},
        {"timestamp", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")},
        {"timestamp_ltz", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")},
        {"timestamp_ntz", arrow::timestamp(arrow::TimeUnit::MICRO)},
        {"timestamp_ns", arrow::timestamp(arrow::TimeUnit::NANO)},
        {"timestamptz_ns", arrow::timestamp(arrow::TimeUnit::NANO, "UTC")},
        {"time", arrow::time64(arrow::TimeUnit::MICRO)},
        {"string", arrow::utf8()},
        {"binary", arrow::binary()},
        {"void", arrow::null()},
    }};
    for (const auto& [name, type] : kSimple) {
      if (name == word) return type;
    }
    return Malformed();
  }

  arrow::Result<TypePtr> ParseDecimalType() {
    int precision = 10, scale = 0;
    if (Take('(')) {
      if (!Number(&precision)) return Malformed();
      if (Take(',') && !Number(&scale)) return Malformed();
      if (!Take(')')) return Malformed();
    }
    if (precision < 1 || precision > 38 || scale > precision) return Malformed();
    return arrow::decimal128(precision, scale);
  }

  arrow::Result<TypePtr> ParseStruct(int depth) {
    if (!Take('<')) return Malformed();
    arrow::FieldVector fields;
    while (!Take('>')) {
      if (!fields.empty() && !Take(',')) return Malformed();
      const std::string name = FieldName();
      if (name.empty()) return Malformed();
      Take(':');
      ARROW_ASSIGN_OR_RAISE(TypePtr type, ParseType(depth + 1));
      bool nullable = true;
      if (TakeWord("not")) {
        if (!TakeWord("null")) return Malformed();
        nullable = false;
      }
      fields.push_back(arrow::field(name, type, nullable));
    }
    return arrow::struct_(fields);
  }

  arrow::Result<TypePtr> ParseInterval() {
    const std::string from = Word();
    const std::string to = TakeWord("to") ? Word() : from;
    constexpr std::array<std::string_view, 6> kUnits = {"year", "month", "day", "hour", "minute", "second"};
    const auto start = std::ranges::find(kUnits, from), end = std::ranges::find(kUnits, to);
    if (start > end || end == kUnits.end()) return Malformed();
    const IntervalUnits units{static_cast<IntervalUnit>(start - kUnits.begin()), static_cast<IntervalUnit>(end - kUnits.begin())};
    if (units.is_year_month() != (units.end <= IntervalUnit::kMonth)) return Malformed();
    return IntervalType(units);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::DataType>> ParseTypeName(std::string_view text) { return TypeParser(text).Parse(); }

}  // namespace vecruntime::expr
