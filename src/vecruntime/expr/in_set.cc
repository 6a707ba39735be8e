// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/expr/in_set.h"

#include <arrow/array.h>

#include <cmath>
#include <string>
#include <unordered_set>

#include "vecruntime/expr/row_kernel.h"
#include "vecruntime/expr/value_order.h"

namespace vecruntime::expr {
namespace {

// One representative for all values that SQL holds equal.
template <typename T>
T Canonical(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::numeric_limits<T>::quiet_NaN();
    return value == 0 ? T{0} : value;
  } else {
    return value;
  }
}

template <typename T>
struct KeyOf {
  using Type = T;
  static Type Make(T value) { return value; }
};
template <>
struct KeyOf<float> {
  using Type = uint32_t;
  static Type Make(float value) { return std::bit_cast<uint32_t>(Canonical(value)); }
};
template <>
struct KeyOf<double> {
  using Type = uint64_t;
  static Type Make(double value) { return std::bit_cast<uint64_t>(Canonical(value)); }
};
template <>
struct KeyOf<std::string_view> {
  using Type = std::string;
  static Type Make(std::string_view value) { return std::string(value); }
};

struct KeyHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  template <typename T>
    requires std::is_integral_v<T>
  size_t operator()(T value) const {
    return std::hash<T>()(value) * size_t{0x9E3779B97F4A7C15};
  }
  size_t operator()(Int128 value) const {
    return (static_cast<uint64_t>(value) ^ static_cast<uint64_t>(value >> 64) * 31) * size_t{0x9E3779B97F4A7C15};
  }
};

template <typename T>
class HashedSet {
 public:
  explicit HashedSet(const arrow::Array& set) {
    const Column<T> values(Argument{set.data(), false});
    for (int64_t k = 0; k < set.length(); ++k) {
      if (set.IsValid(k)) keys_.insert(KeyOf<T>::Make(values[k]));
    }
  }
  bool Contains(T value) const {
    if constexpr (std::is_same_v<T, std::string_view>) {
      return keys_.find(value) != keys_.end();
    } else {
      return keys_.find(KeyOf<T>::Make(value)) != keys_.end();
    }
  }

 private:
  std::unordered_set<typename KeyOf<T>::Type, KeyHash, std::equal_to<>> keys_;
};

template <typename T>
Kernel HashKernel(const std::shared_ptr<arrow::Array>& set) {
  auto keys = std::make_shared<const HashedSet<T>>(*set);
  const bool has_null = set->null_count() > 0;
  return RowKernel<bool, T>(arrow::boolean(), [keys, has_null](Writer<bool>& out, T value) {
    if (keys->Contains(value)) return out.Set(true);
    if (has_null) out.Null();
  });
}

// Structs and arrays: compared one by one, since such lists are short.
Kernel NestedKernel(const std::shared_ptr<arrow::Array>& set) {
  return [set](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
               const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    const auto values = arrow::MakeArray(call.argument(0).data);
    columnar::Selection valid = call.ValidRows();
    columnar::Selection found = columnar::Selection::None(rows.length());
    rows.ForEachLive([&](int64_t row) {
      if (!valid.IsLive(row)) return;
      for (int64_t k = 0; k < set->length(); ++k) {
        if (set->IsNull(k)) continue;
        if (CompareValues(*values, call.argument(0).RowOf(row), *set, k) == 0) return found.Revive(row);
      }
      if (set->null_count() > 0) valid.Kill(row);
    });
    return BooleanResult(valid, found, context.pool);
  };
}

}  // namespace

Kernel MakeInKernel(const std::shared_ptr<arrow::Array>& set) {
  switch (set->type_id()) {
    case arrow::Type::BOOL:
      return HashKernel<bool>(set);
    case arrow::Type::INT8:
      return HashKernel<int8_t>(set);
    case arrow::Type::INT16:
      return HashKernel<int16_t>(set);
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::INTERVAL_MONTHS:
      return HashKernel<int32_t>(set);
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::TIME64:
    case arrow::Type::DURATION:
      return HashKernel<int64_t>(set);
    case arrow::Type::FLOAT:
      return HashKernel<float>(set);
    case arrow::Type::DOUBLE:
      return HashKernel<double>(set);
    case arrow::Type::DECIMAL128:
      return HashKernel<Int128>(set);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return HashKernel<std::string_view>(set);
    default:
      return NestedKernel(set);
  }
}

}  // namespace vecruntime::expr
