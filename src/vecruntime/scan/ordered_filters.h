// SPDX-License-Identifier: Apache-2.0
// The conjuncts of a scan's filter, tried in the order that has dropped the most rows for the time it took. Owned by one worker.
#pragma once

#include <arrow/type_fwd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "vecruntime/columnar/selection.h"
#include "vecruntime/expr/evaluator.h"

namespace vecruntime::scan {

class OrderedFilters {
 public:
  /// `filter` may be null: nothing is dropped then.
  explicit OrderedFilters(const expr::ExprPtr& filter);

  /// Kills the live rows that a conjunct drops. `read` puts a column into `columns`, for the rows still alive, before a conjunct that reads it
  /// runs.
  arrow::Status Narrow(const std::function<arrow::Status(size_t column)>& read, const std::vector<std::shared_ptr<arrow::Array>>& columns,
                       const expr::EvalContext& eval, columnar::Selection* rows);

 private:
  struct Conjunct {
    expr::BatchFilter filter;
    std::vector<int> columns;
    std::chrono::nanoseconds spent{};  // reading its columns included
    int64_t rows_dropped = 0;

    double NanosPerDroppedRow() const;
  };

  void Reorder();

  std::vector<std::unique_ptr<Conjunct>> conjuncts_;
  size_t reorderable_ = 0;  // so many of the first ones raise no error, whatever rows they see
  int64_t batches_ = 0;
};

}  // namespace vecruntime::scan
