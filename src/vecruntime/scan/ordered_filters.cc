// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/scan/ordered_filters.h"

#include <arrow/status.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace vecruntime::scan {
namespace {

constexpr int64_t kBatchesPerOrder = 8;

}  // namespace

OrderedFilters::OrderedFilters(const expr::ExprPtr& filter) {
  if (filter == nullptr) return;
  // Conjuncts in a row that read the same columns stay one, so that a dictionary is looked through once for them.
  std::vector<std::pair<expr::ExprPtr, std::vector<int>>> parts;
  for (const expr::ExprPtr& conjunct : expr::SplitConjunction(filter)) {
    std::vector<int> columns;
    CollectColumns(*conjunct, &columns);
    if (!parts.empty() && columns == parts.back().second) {
      parts.back().first = expr::Expr::And(parts.back().first, conjunct);
    } else {
      parts.emplace_back(conjunct, std::move(columns));
    }
  }
  bool safe = true;
  for (auto& [conjunct, columns] : parts) {
    safe &= expr::NeverRaises(*conjunct);
    if (safe) ++reorderable_;
    conjuncts_.push_back(std::make_unique<Conjunct>(Conjunct{.filter = expr::BatchFilter(conjunct), .columns = std::move(columns)}));
  }
}

arrow::Status OrderedFilters::Narrow(const std::function<arrow::Status(size_t column)>& read,
                                     const std::vector<std::shared_ptr<arrow::Array>>& columns, const expr::EvalContext& eval,
                                     columnar::Selection* rows) {
  int64_t live = conjuncts_.empty() ? 0 : rows->CountLive();
  for (const auto& conjunct : conjuncts_) {
    if (live == 0) break;
    const auto start = std::chrono::steady_clock::now();
    for (const int column : conjunct->columns) ARROW_RETURN_NOT_OK(read(static_cast<size_t>(column)));
    ARROW_RETURN_NOT_OK(conjunct->filter.Narrow(columns, eval, rows));
    const int64_t left = rows->CountLive();
    conjunct->spent += std::chrono::steady_clock::now() - start;
    conjunct->rows_dropped += live - left;
    live = left;
  }
  if (reorderable_ > 1 && ++batches_ % kBatchesPerOrder == 0) Reorder();
  return arrow::Status::OK();
}

void OrderedFilters::Reorder() {
  std::stable_sort(conjuncts_.begin(), conjuncts_.begin() + static_cast<int64_t>(reorderable_),
                   [](const auto& a, const auto& b) { return a->NanosPerDroppedRow() < b->NanosPerDroppedRow(); });
}

// Conjuncts that were never reached, or drop nothing, come last.
double OrderedFilters::Conjunct::NanosPerDroppedRow() const {
  if (rows_dropped == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(spent.count()) / static_cast<double>(rows_dropped);
}

}  // namespace vecruntime::scan
