// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>

#include "vecruntime/expr/calendar.h"
#include "vecruntime/expr/cast/cast_internal.h"
#include "vecruntime/expr/cast/value_text.h"
#include "vecruntime/expr/datetime_text.h"
#include "vecruntime/expr/interval_type.h"
#include "vecruntime/expr/number_text.h"
#include "vecruntime/expr/utf8.h"

namespace vecruntime::expr {
namespace {

template <typename In, typename AppendText>
arrow::Result<arrow::Datum> Write(const KernelCall& call, AppendText&& append) {
  return RunRows<std::string_view, In>(call, arrow::utf8(),
                                       [&](Writer<std::string_view>& out, In value) { append(value, out.data()); });
}

void AppendBoolean(bool value, std::string* out) { out->append(value ? "true" : "false"); }

void AppendTimestamp(int64_t value, const arrow::TimestampType& type, const TimeZone& zone, std::string* out) {
  const bool zoned = !type.timezone().empty() && !zone.is_utc();
  if (type.unit() == arrow::TimeUnit::NANO) {
    if (zoned) value += zone.OffsetAt(FloorDiv(value, 1'000'000'000)) * 1'000'000'000;
    AppendLocalTimestampNanos(value, out);
  } else {
    AppendLocalTimestamp(zoned ? zone.ToLocalMicros(value) : value, out);
  }
}

arrow::Result<arrow::Datum> WriteNested(const KernelCall& call, const TimeZone& zone) {
  const auto values = arrow::MakeArray(call.argument(0).data);
  columnar::Selection valid = call.ValidRows();
  Writer<std::string_view> out(&valid, call.num_rows());
  ARROW_RETURN_NOT_OK(out.Reserve(call.context().pool));
  for (int64_t row = 0; row < call.num_rows(); ++row) {
    out.Begin(row);
    if (valid.IsLive(row) && call.rows().IsLive(row)) AppendValueText(*values, call.argument(0).RowOf(row), zone, out.data());
    out.End();
  }
  if (out.failed()) return out.status();
  return out.Finish(arrow::utf8(), call.context().pool);
}

}  // namespace

arrow::Result<arrow::Datum> CastToString(const KernelCall& call, const CastStep& step) {
  const arrow::DataType& from = *step.from;
  switch (from.id()) {
    case arrow::Type::BOOL:
      return Write<bool>(call, AppendBoolean);
    case arrow::Type::INT8:
      return Write<int8_t>(call, AppendInteger<int8_t>);
    case arrow::Type::INT16:
      return Write<int16_t>(call, AppendInteger<int16_t>);
    case arrow::Type::INT32:
      return Write<int32_t>(call, AppendInteger<int32_t>);
    case arrow::Type::INT64:
      return Write<int64_t>(call, AppendInteger<int64_t>);
    case arrow::Type::FLOAT:
      return Write<float>(call, AppendFloat);
    case arrow::Type::DOUBLE:
      return Write<double>(call, AppendDouble);
    case arrow::Type::DECIMAL128:
      return Write<Int128>(call, [scale = DecimalScale(from)](Int128 value, std::string* out) { AppendDecimal(value, scale, out); });
    case arrow::Type::DATE32:
      return Write<int32_t>(call, [](int32_t days, std::string* out) { AppendDate(days, out); });
    case arrow::Type::TIMESTAMP: {
      ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(call.context().timezone));
      const auto& type = static_cast<const arrow::TimestampType&>(from);
      return Write<int64_t>(call, [&](int64_t value, std::string* out) { AppendTimestamp(value, type, *zone, out); });
    }
    case arrow::Type::TIME64:
      return Write<int64_t>(call, [](int64_t micros, std::string* out) { AppendTimeOfDay(micros * kNanosPerMicro, out); });
    case arrow::Type::DURATION:
      return Write<int64_t>(call, [units = UnitsOf(from)](int64_t micros, std::string* out) { AppendInterval(micros, units, out); });
    case arrow::Type::INTERVAL_MONTHS:
      return Write<int32_t>(call, [units = UnitsOf(from)](int32_t months, std::string* out) { AppendInterval(months, units, out); });
    case arrow::Type::BINARY:
      // Arrow strings are valid UTF-8; Spark keeps the bytes but shows them like this.
      return Write<std::string_view>(call, AppendRepaired);
    default: {
      ARROW_ASSIGN_OR_RAISE(const auto zone, TimeZone::Find(call.context().timezone));
      return WriteNested(call, *zone);
    }
  }
}

namespace {

void AppendElements(const arrow::Array& values, int64_t begin, int64_t end, const TimeZone& zone, std::string* out) {
  out->push_back('[');
  for (int64_t k = begin; k < end; ++k) {
    if (k > begin) out->append(", ");
    AppendValueText(values, k, zone, out);
  }
  out->push_back(']');
}

void AppendEntries(const arrow::MapArray& maps, int64_t row, const TimeZone& zone, std::string* out) {
  out->push_back('{');
  for (int64_t k = maps.value_offset(row); k < maps.value_offset(row + 1); ++k) {
    if (k > maps.value_offset(row)) out->append(", ");
    AppendValueText(*maps.keys(), k, zone, out);
    out->append(" -> ");
    AppendValueText(*maps.items(), k, zone, out);
  }
  out->push_back('}');
}

void AppendFields(const arrow::StructArray& structs, int64_t row, const TimeZone& zone, std::string* out) {
  out->push_back('{');
  for (int k = 0; k < structs.num_fields(); ++k) {
    if (k > 0) out->append(", ");
    AppendValueText(*structs.field(k), row, zone, out);
  }
  out->push_back('}');
}

}  // namespace

void AppendValueText(const arrow::Array& values, int64_t row, const TimeZone& zone, std::string* out) {
  if (values.IsNull(row)) {
    out->append("null");
    return;
  }
  switch (values.type_id()) {
    case arrow::Type::BOOL:
      return AppendBoolean(static_cast<const arrow::BooleanArray&>(values).Value(row), out);
    case arrow::Type::INT8:
      return AppendInteger(static_cast<const arrow::Int8Array&>(values).Value(row), out);
    case arrow::Type::INT16:
      return AppendInteger(static_cast<const arrow::Int16Array&>(values).Value(row), out);
    case arrow::Type::INT32:
      return AppendInteger(static_cast<const arrow::Int32Array&>(values).Value(row), out);
    case arrow::Type::INT64:
      return AppendInteger(static_cast<const arrow::Int64Array&>(values).Value(row), out);
    case arrow::Type::FLOAT:
      return AppendFloat(static_cast<const arrow::FloatArray&>(values).Value(row), out);
    case arrow::Type::DOUBLE:
      return AppendDouble(static_cast<const arrow::DoubleArray&>(values).Value(row), out);
    case arrow::Type::DECIMAL128:
      return AppendDecimal(Column<Int128>(Argument{values.data(), false})[row], DecimalScale(*values.type()), out);
    case arrow::Type::DATE32:
      return AppendDate(static_cast<const arrow::Date32Array&>(values).Value(row), out);
    case arrow::Type::TIMESTAMP:
      return AppendTimestamp(static_cast<const arrow::TimestampArray&>(values).Value(row),
                             static_cast<const arrow::TimestampType&>(*values.type()), zone, out);
    case arrow::Type::TIME64:
      return AppendTimeOfDay(static_cast<const arrow::Time64Array&>(values).Value(row) * kNanosPerMicro, out);
    case arrow::Type::DURATION:
      return AppendInterval(static_cast<const arrow::DurationArray&>(values).Value(row), UnitsOf(*values.type()), out);
    case arrow::Type::INTERVAL_MONTHS:
      return AppendInterval(static_cast<const arrow::MonthIntervalArray&>(values).Value(row), UnitsOf(*values.type()), out);
    case arrow::Type::BINARY:
      return AppendRepaired(static_cast<const arrow::BinaryArray&>(values).GetView(row), out);
    case arrow::Type::STRING:
      out->append(static_cast<const arrow::BinaryArray&>(values).GetView(row));
      return;
    case arrow::Type::LIST: {
      const auto& lists = static_cast<const arrow::ListArray&>(values);
      return AppendElements(*lists.values(), lists.value_offset(row), lists.value_offset(row + 1), zone, out);
    }
    case arrow::Type::MAP:
      return AppendEntries(static_cast<const arrow::MapArray&>(values), row, zone, out);
    case arrow::Type::STRUCT:
      return AppendFields(static_cast<const arrow::StructArray&>(values), row, zone, out);
    default:
      out->append("?");
  }
}

}  // namespace vecruntime::expr
