// SPDX-License-Identifier: Apache-2.0
// Adds a batch up by the codes of its dictionary-encoded columns before it is grouped. Of the rows that share c, sum(x * f(c)) is
// sum(x) * f(c): so products are taken, and groups looked up, once per combination of codes that occurs instead of once per row.
#pragma once

#include <arrow/result.h>

#include <memory>
#include <optional>
#include <vector>

#include "vecruntime/columnar/batch.h"
#include "vecruntime/exec/aggregate_function.h"
#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/exec/evaluation.h"

namespace vecruntime::exec {

/// The cells (code_cells.h) of a batch and what the arguments of calls come to in them.
struct Preaggregated {
  columnar::Batch cells;            // one row each; columns that are not in codes are null
  std::vector<int64_t> row_counts;  // per cell
  std::vector<CellSums> sums;       // per call; nothing for count(*)
};

/// How the calls of one aggregation are taken apart. Immutable; shared between threads.
class Preaggregation {
 public:
  /// Null unless every call adds up: count(*), and sum and avg of a column or of a product.
  static std::unique_ptr<const Preaggregation> Make(const std::vector<expr::ExprPtr>& keys, const std::vector<AggregateCall>& calls);

  /// nullopt when `batch` gains nothing, or when a sum could differ from that of row by row by more than the order of additions and
  /// multiplications in double: too many cells, columns that are not in codes, NULLs, infinities, decimals near their limit.
  arrow::Result<std::optional<Preaggregated>> Run(const columnar::Batch& batch, const ExecContext& context) const;

 private:
  struct Product {
    bool is_double = false;              // else of integers or decimals
    std::vector<expr::ExprPtr> columns;
    std::vector<expr::ExprPtr> factors;  // anything else
  };

  Preaggregation() = default;
  std::optional<std::vector<int>> CodeColumns(const columnar::Batch& batch) const;

  std::vector<int> key_columns_;
  std::vector<int> code_columns_;  // those of keys and of factors
  std::vector<Product> products_;  // per call; empty for count(*)
  bool has_products_ = false;      // of more than one factor
};

}  // namespace vecruntime::exec
