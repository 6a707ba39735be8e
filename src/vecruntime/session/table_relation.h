// SPDX-License-Identifier: Apache-2.0
// Tables as SQL sees them: the resolver of FROM items, over catalog, planning and scan.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <vector>

#include "vecruntime/planning/scan_task.h"
#include "vecruntime/scan/scan_metrics.h"
#include "vecruntime/session/table_loader.h"
#include "vecruntime/sql/relation.h"

namespace vecruntime::session {

/// What one scan of a statement planned and did; kept for EXPLAIN and progress.
struct ScanReport {
  std::string table;
  std::string columns;            // names, comma-separated
  std::string filter;             // empty for none
  std::string pruning_predicate;  // the part of it that pruned, "true" for none
  planning::PlanCounts counts;
  /// Data files whose part of the answer their manifest entries give.
  struct NotOpened {
    int64_t files = 0;
    int64_t rows = 0;
    int64_t bytes = 0;
  };
  NotOpened not_opened;
  std::shared_ptr<scan::ScanMetrics> metrics;
};

struct ResolverOptions {
  int workers = 1;
  bool pruning = true;
  expr::EvalContext eval;
};

/// Lives for one statement. Not thread-safe.
class TableResolver : public sql::RelationResolver {
 public:
  /// REQUIRES: `loader` outlives the resolver.
  TableResolver(const TableLoader* loader, ResolverOptions options) : loader_(loader), options_(std::move(options)) {}

  arrow::Result<std::shared_ptr<sql::Relation>> Resolve(const sql::TableReference& reference) override;

  /// The scans planned so far, in plan order.
  const std::vector<std::shared_ptr<ScanReport>>& reports() const { return *reports_; }

 private:
  const TableLoader* const loader_;
  const ResolverOptions options_;
  const std::shared_ptr<std::vector<std::shared_ptr<ScanReport>>> reports_ = std::make_shared<std::vector<std::shared_ptr<ScanReport>>>();
};

}  // namespace vecruntime::session
