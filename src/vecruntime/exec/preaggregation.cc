// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/exec/preaggregation.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>

#include "vecruntime/exec/code_cells.h"
#include "vecruntime/exec/numbers.h"
#include "vecruntime/expr/expr.h"

namespace vecruntime::exec {
namespace {

using columnar::Batch;
using expr::Expr;
using expr::ExprKind;
using expr::ExprPtr;

// With fewer rows, or fewer rows a cell, cells cost as much as rows.
constexpr int64_t kRowsMin = 2048;
constexpr int64_t kRowsPerCell = 4;

// Whether its value is the product of its operands' values, rounded by nothing but double.
bool IsPlainProduct(const Expr& expr) {
  if (expr.kind() != ExprKind::kCall || expr.name() != "*") return false;
  const arrow::DataType& left = *expr.children()[0]->type();
  const arrow::DataType& right = *expr.children()[1]->type();
  const auto is_all = [&](arrow::Type::type id) { return expr.type()->id() == id && left.id() == id && right.id() == id; };
  const auto scale = [](const arrow::DataType& type) { return static_cast<const arrow::Decimal128Type&>(type).scale(); };
  return is_all(arrow::Type::DOUBLE) || (is_all(arrow::Type::DECIMAL128) && scale(*expr.type()) == scale(left) + scale(right));
}

void CollectFactors(const ExprPtr& expr, std::vector<ExprPtr>* columns, std::vector<ExprPtr>* factors) {
  if (!IsPlainProduct(*expr)) return (expr->kind() == ExprKind::kColumn ? columns : factors)->push_back(expr);
  for (const ExprPtr& child : expr->children()) CollectFactors(child, columns, factors);
}

bool Contains(const std::vector<int>& columns, int column) { return std::ranges::find(columns, column) != columns.end(); }

const arrow::Array& ColumnOf(const Batch& batch, int column) { return *batch.columns[static_cast<size_t>(column)]; }

// More than CodeCells takes for a column that is not in codes.
int64_t EntriesOf(const Batch& batch, int column) {
  const arrow::DictionaryArray* encoded = InCodes(ColumnOf(batch, column));
  return encoded == nullptr ? CodeCells::kCombinationsMax + 1 : encoded->dictionary()->length();
}

int64_t CombinationsOf(const Batch& batch, const std::vector<int>& columns) {
  int64_t combinations = 1;
  for (int column : columns) combinations = std::min(combinations * EntriesOf(batch, column), CodeCells::kCombinationsMax + 1);
  return combinations;
}

bool HasNulls(const arrow::Array& column) {
  return column.type_id() == arrow::Type::DICTIONARY ? InCodes(column) == nullptr : column.null_count() > 0;
}

/// No magnitude among some numbers, or among their products in any order, is greater: in double, or in bits of an integer.
struct Bound {
  double value = 1;
  int bits = 0;

  static Bound Of(const arrow::Array& numbers) {
    if (arrow::is_floating(numbers.type_id())) return {.value = exec::BoundOf(numbers)};
    return {.bits = BitsOf(numbers)};
  }
  static Bound OfCount(int64_t count) {
    return {static_cast<double>(count), static_cast<int>(std::bit_width(static_cast<uint64_t>(count)))};
  }
  Bound& operator*=(const Bound& other) {
    value *= std::max(other.value, 1.0);
    bits += other.bits;
    return *this;
  }
};

// sums[i] *= factors[i]
void Multiply(const arrow::Array& factors, CellSums* sums) {
  WithNumbers(factors, false, [sums](auto values) {
    if (auto* doubles = std::get_if<std::vector<double>>(sums)) {
      for (size_t i = 0; i < doubles->size(); ++i) (*doubles)[i] *= static_cast<double>(values[static_cast<int64_t>(i)]);
      return;
    }
    using Unsigned = unsigned __int128;  // what overflows is thrown away
    for (int64_t i = 0; Int128& sum : std::get<std::vector<Int128>>(*sums)) {
      sum = static_cast<Int128>(static_cast<Unsigned>(sum) * static_cast<Unsigned>(static_cast<Int128>(values[i++])));
    }
  });
}

// Whether no row's product and no sum of them can have overflowed. `bound`: of the sum of all magnitudes.
bool IsWithin(const Bound& bound, const CellSums& sums) {
  const auto* doubles = std::get_if<std::vector<double>>(&sums);
  if (doubles == nullptr) return bound.bits <= kExactBits;
  return std::isfinite(bound.value) && std::ranges::all_of(*doubles, [](double sum) { return std::isfinite(sum); });
}

/// The columns of one batch whose sums are asked for, each added up once.
class SummedColumns {
 public:
  explicit SummedColumns(const CodeCells& cells) : cells_(cells) {}

  /// Null when the column has NULLs or does not fit CodeCells::Sum.
  const CellSums* SumsOf(const arrow::Array& column) {
    if (HasNulls(column)) return nullptr;
    const auto [at, is_new] = columns_.try_emplace(&column);
    if (is_new) at->second.sums = cells_.Sum(column);
    return at->second.sums ? &*at->second.sums : nullptr;
  }
  /// REQUIRES: SumsOf was not null.
  const Bound& BoundOf(const arrow::Array& column) {
    std::optional<Bound>& bound = columns_.at(&column).bound;
    if (!bound) {
      const arrow::DictionaryArray* encoded = InCodes(column);
      bound = Bound::Of(encoded == nullptr ? column : *encoded->dictionary());
    }
    return *bound;
  }

 private:
  struct Summed {
    std::optional<CellSums> sums;
    std::optional<Bound> bound;
  };
  const CodeCells& cells_;
  std::map<const arrow::Array*, Summed> columns_;
};

}  // namespace

std::unique_ptr<const Preaggregation> Preaggregation::Make(const std::vector<ExprPtr>& keys, const std::vector<AggregateCall>& calls) {
  std::unique_ptr<Preaggregation> plan(new Preaggregation());
  for (const ExprPtr& key : keys) expr::CollectColumns(*key, &plan->key_columns_);
  plan->code_columns_ = plan->key_columns_;
  for (const AggregateCall& call : calls) {
    if (call.filter != nullptr || call.distinct || call.arguments.size() > 1 || !MakeAccumulator(call)->AddsUp()) return nullptr;
    Product product;
    if (!call.arguments.empty()) {
      if (!IsNumber(*call.arguments[0]->type())) return nullptr;
      product.is_double = arrow::is_floating(call.arguments[0]->type()->id());
      CollectFactors(call.arguments[0], &product.columns, &product.factors);
    }
    for (const ExprPtr& factor : product.factors) expr::CollectColumns(*factor, &plan->code_columns_);
    plan->has_products_ |= product.columns.size() + product.factors.size() > 1;
    plan->products_.push_back(std::move(product));
  }
  return plan;
}

// The columns that tell cells apart: those of keys and factors, and all but one of the columns of each product. nullopt when they cannot.
std::optional<std::vector<int>> Preaggregation::CodeColumns(const Batch& batch) const {
  if (!has_products_ && CombinationsOf(batch, key_columns_) <= static_cast<int64_t>(GroupParts::kPartsMax)) return std::nullopt;
  std::vector<int> codes = code_columns_;
  for (const Product& product : products_) {
    std::vector<int> others;
    for (const ExprPtr& column : product.columns) {
      if (!Contains(codes, column->column())) others.push_back(column->column());
    }
    std::ranges::sort(others, {}, [&](int column) { return EntriesOf(batch, column); });
    for (size_t k = 0; k + 1 < others.size(); ++k) {
      if (!Contains(codes, others[k])) codes.push_back(others[k]);
    }
  }
  const int64_t combinations = CombinationsOf(batch, codes);
  const int64_t rows = batch.selection.CountLive();
  const bool fits = !codes.empty() && combinations <= CodeCells::kCombinationsMax && combinations * kRowsPerCell <= rows && rows >= kRowsMin;
  return fits ? std::optional(std::move(codes)) : std::nullopt;
}

arrow::Result<std::optional<Preaggregated>> Preaggregation::Run(const Batch& batch, const ExecContext& context) const {
  const auto codes = CodeColumns(batch);
  if (!codes) return std::nullopt;
  const CodeCells cells(batch, *codes);
  Preaggregated result{.row_counts = cells.row_counts()};
  ARROW_ASSIGN_OR_RAISE(result.cells, cells.AsBatch(PoolOf(context)));
  SummedColumns summed(cells);
  for (const Product& product : products_) {
    const arrow::Array* column = nullptr;  // the one that is not in codes
    std::vector<ExprPtr> factors = product.factors;
    for (const ExprPtr& each : product.columns) {
      if (Contains(*codes, each->column())) {
        factors.push_back(each);
      } else {
        column = &ColumnOf(batch, each->column());
      }
    }
    CellSums& sums = result.sums.emplace_back();
    Bound bound = Bound::OfCount(batch.num_rows());
    if (column != nullptr) {
      const CellSums* const of_column = summed.SumsOf(*column);
      if (of_column == nullptr) return std::nullopt;
      sums = *of_column;
      if (!factors.empty()) bound *= summed.BoundOf(*column);
    } else if (product.is_double) {
      sums = std::vector<double>(cells.row_counts().begin(), cells.row_counts().end());
    } else {
      sums = std::vector<Int128>(cells.row_counts().begin(), cells.row_counts().end());
    }
    for (const ExprPtr& factor : factors) {
      ARROW_ASSIGN_OR_RAISE(const auto values, EvaluateArray(*factor, result.cells.columns, result.cells.selection, context));
      if (values->null_count() > 0) return std::nullopt;
      Multiply(*values, &sums);
      bound *= Bound::Of(*values);
    }
    if (!factors.empty() && !IsWithin(bound, sums)) return std::nullopt;
  }
  return result;
}

}  // namespace vecruntime::exec
