// SPDX-License-Identifier: Apache-2.0
#include "cli/output/json_rows.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/base64.h>

#include <cmath>
#include <cstring>

#include "vecruntime/expr/calendar.h"
#include "vecruntime/expr/datetime_text.h"
#include "vecruntime/expr/decimal.h"
#include "vecruntime/expr/interval_type.h"
#include "vecruntime/expr/number_text.h"
#include "vecruntime/expr/time_zone.h"

namespace vecruntime::cli {
namespace {

template <typename T>
T ValueAt(const arrow::Array& array, int64_t i) {
  return array.data()->GetValues<T>(1)[i];
}

template <typename Float>
void AppendFloating(Float value, std::string* out) {
  const bool quoted = !std::isfinite(value);
  if (quoted) out->push_back('"');
  if constexpr (sizeof(Float) == 8) {
    expr::AppendDouble(value, out);
  } else {
    expr::AppendFloat(value, out);
  }
  if (quoted) out->push_back('"');
}

// "2020-01-01T00:00:00.000"; the milliseconds are cut, not rounded, as java.time does. `extra_nanos` >= 0 adds six more digits.
void AppendLocal(int64_t local_micros, int64_t extra_nanos, std::string* out) {
  const int64_t days = expr::FloorDiv(local_micros, expr::kMicrosPerDay);
  const int64_t micros = expr::FloorMod(local_micros, expr::kMicrosPerDay);
  expr::AppendDate(days, out);
  out->push_back('T');
  expr::AppendPadded(micros / 3'600'000'000, 2, out);
  out->push_back(':');
  expr::AppendPadded(micros / 60'000'000 % 60, 2, out);
  out->push_back(':');
  expr::AppendPadded(micros / 1'000'000 % 60, 2, out);
  out->push_back('.');
  if (extra_nanos < 0) {
    expr::AppendPadded(micros / 1000 % 1000, 3, out);
  } else {
    expr::AppendPadded(micros % 1'000'000 * 1000 + extra_nanos, 9, out);
  }
}

// java.time's XXX: "Z", "+05:30".
void AppendOffset(int64_t seconds, std::string* out) {
  const int64_t minutes = std::abs(seconds) / 60;
  if (minutes == 0) {
    out->push_back('Z');
    return;
  }
  out->push_back(seconds < 0 ? '-' : '+');
  expr::AppendPadded(minutes / 60, 2, out);
  out->push_back(':');
  expr::AppendPadded(minutes % 60, 2, out);
}

template <typename Append>
void AppendQuoted(std::string* out, Append&& append) {
  out->push_back('"');
  append(out);
  out->push_back('"');
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  out->push_back('"');
  for (char c : text) {
    switch (c) {
      case '"': *out += "\\\""; break;
      case '\\': *out += "\\\\"; break;
      case '\b': *out += "\\b"; break;
      case '\f': *out += "\\f"; break;
      case '\n': *out += "\\n"; break;
      case '\r': *out += "\\r"; break;
      case '\t': *out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          *out += "\\u00";
          out->push_back(kHex[static_cast<unsigned char>(c) >> 4]);
          out->push_back(kHex[c & 15]);
        } else {
          out->push_back(c);
        }
    }
  }
  out->push_back('"');
}

arrow::Result<JsonRows> JsonRows::Make(const std::string& timezone) {
  ARROW_ASSIGN_OR_RAISE(auto zone, expr::TimeZone::Find(timezone));
  return JsonRows(std::move(zone));
}

void JsonRows::AppendRow(const arrow::RecordBatch& batch, int64_t i, std::string* out) const {
  out->push_back('{');
  for (int c = 0; c < batch.num_columns(); ++c) {
    if (c != 0) out->push_back(',');
    AppendJsonString(batch.schema()->field(c)->name(), out);
    out->push_back(':');
    AppendValue(*batch.column(c), i, out);
  }
  out->push_back('}');
}

void JsonRows::AppendTimestamp(const arrow::Array& array, int64_t i, std::string* out) const {
  const auto& type = static_cast<const arrow::TimestampType&>(*array.type());
  const auto value = ValueAt<int64_t>(array, i);
  const bool nanos = type.unit() == arrow::TimeUnit::NANO;
  const int64_t micros = nanos ? expr::FloorDiv(value, 1000) : value;
  const int64_t extra = nanos ? value - micros * 1000 : -1;
  if (type.timezone().empty()) return AppendLocal(micros, extra, out);
  const int64_t offset = zone_->OffsetAt(expr::FloorDiv(micros, 1'000'000));
  AppendLocal(micros + offset * 1'000'000, extra, out);
  AppendOffset(offset, out);
}

void JsonRows::AppendValue(const arrow::Array& array, int64_t i, std::string* out) const {
  if (array.IsNull(i)) {
    *out += "null";
    return;
  }
  switch (array.type_id()) {
    case arrow::Type::BOOL: *out += static_cast<const arrow::BooleanArray&>(array).Value(i) ? "true" : "false"; return;
    case arrow::Type::INT8: return expr::AppendInteger(ValueAt<int8_t>(array, i), out);
    case arrow::Type::INT16: return expr::AppendInteger(ValueAt<int16_t>(array, i), out);
    case arrow::Type::INT32: return expr::AppendInteger(ValueAt<int32_t>(array, i), out);
    case arrow::Type::INT64: return expr::AppendInteger(ValueAt<int64_t>(array, i), out);
    case arrow::Type::FLOAT: return AppendFloating(ValueAt<float>(array, i), out);
    case arrow::Type::DOUBLE: return AppendFloating(ValueAt<double>(array, i), out);
    case arrow::Type::DECIMAL128: {
      expr::Int128 unscaled;
      std::memcpy(&unscaled, static_cast<const arrow::Decimal128Array&>(array).GetValue(i), sizeof(unscaled));
      return expr::AppendDecimal(unscaled, static_cast<const arrow::Decimal128Type&>(*array.type()).scale(), out);
    }
    case arrow::Type::STRING: return AppendJsonString(static_cast<const arrow::StringArray&>(array).GetView(i), out);
    case arrow::Type::BINARY:
      return AppendQuoted(out, [&](std::string* to) {
        *to += arrow::util::base64_encode(static_cast<const arrow::BinaryArray&>(array).GetView(i));
      });
    case arrow::Type::DATE32: return AppendQuoted(out, [&](std::string* to) { expr::AppendDate(ValueAt<int32_t>(array, i), to); });
    case arrow::Type::TIMESTAMP: return AppendQuoted(out, [&](std::string* to) { AppendTimestamp(array, i, to); });
    case arrow::Type::TIME64:
      return AppendQuoted(out, [&](std::string* to) { expr::AppendTimeOfDay(ValueAt<int64_t>(array, i) * 1000, to); });
    case arrow::Type::INTERVAL_MONTHS:
      return AppendQuoted(out, [&](std::string* to) { expr::AppendInterval(ValueAt<int32_t>(array, i), expr::UnitsOf(*array.type()), to); });
    case arrow::Type::DURATION:
      return AppendQuoted(out, [&](std::string* to) { expr::AppendInterval(ValueAt<int64_t>(array, i), expr::UnitsOf(*array.type()), to); });
    default: return AppendNested(array, i, out);
  }
}

void JsonRows::AppendNested(const arrow::Array& array, int64_t i, std::string* out) const {
  switch (array.type_id()) {
    case arrow::Type::STRUCT: {
      const auto& type = *array.type();
      out->push_back('{');
      for (int f = 0; f < type.num_fields(); ++f) {
        if (f != 0) out->push_back(',');
        AppendJsonString(type.field(f)->name(), out);
        out->push_back(':');
        AppendValue(*static_cast<const arrow::StructArray&>(array).field(f), i, out);
      }
      out->push_back('}');
      return;
    }
    case arrow::Type::LIST: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      out->push_back('[');
      for (int64_t k = list.value_offset(i); k < list.value_offset(i + 1); ++k) {
        if (k != list.value_offset(i)) out->push_back(',');
        AppendValue(*list.values(), k, out);
      }
      out->push_back(']');
      return;
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapArray&>(array);
      out->push_back('{');
      for (int64_t k = map.value_offset(i); k < map.value_offset(i + 1); ++k) {
        if (k != map.value_offset(i)) out->push_back(',');
        AppendMapKey(*map.keys(), k, out);
        out->push_back(':');
        AppendValue(*map.items(), k, out);
      }
      out->push_back('}');
      return;
    }
    default: *out += "null";
  }
}

// Spark writes the key's internal value with Java's toString: a date is its day number, a timestamp its microseconds.
void JsonRows::AppendMapKey(const arrow::Array& array, int64_t i, std::string* out) const {
  switch (array.type_id()) {
    case arrow::Type::STRING: return AppendJsonString(static_cast<const arrow::StringArray&>(array).GetView(i), out);
    case arrow::Type::DATE32: return AppendQuoted(out, [&](std::string* to) { expr::AppendInteger(ValueAt<int32_t>(array, i), to); });
    case arrow::Type::TIMESTAMP: return AppendQuoted(out, [&](std::string* to) { expr::AppendInteger(ValueAt<int64_t>(array, i), to); });
    default: {
      std::string text;
      AppendValue(array, i, &text);
      return text.starts_with('"') ? void(*out += text) : AppendJsonString(text, out);
    }
  }
}

}  // namespace vecruntime::cli
