// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/scan/row_pruning.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "vecruntime/planning/might_match.h"

namespace vecruntime::scan {
namespace {

using base::FileRow;
using base::FileRowRange;
using parquet::PageStatistics;

planning::ColumnFacts FactsOf(const parquet::ColumnStatistics& statistics) {
  return {.lower = statistics.min, .upper = statistics.max, .null_count = statistics.null_count, .value_count = statistics.value_count};
}

iceberg::Field FieldOf(const iceberg::Predicate& leaf) { return {.id = leaf.field_id, .type = leaf.type}; }

// What the footer says of the field of a leaf; nullopt for nothing.
std::optional<planning::ColumnFacts> FactsOfRowGroup(const parquet::ParquetFile& file, int row_group, const iceberg::Predicate& leaf) {
  if (!file.HasField(leaf.field_id)) return std::nullopt;
  const auto statistics = file.Statistics(row_group, FieldOf(leaf));
  return statistics ? std::optional(FactsOf(*statistics)) : std::nullopt;
}

template <typename Visit>
void ForEachLeaf(const iceberg::Predicate& predicate, const Visit& visit) {
  switch (predicate.op) {
    case iceberg::PredicateOp::kTrue:
    case iceberg::PredicateOp::kFalse:
      return;
    case iceberg::PredicateOp::kAnd:
    case iceberg::PredicateOp::kOr:
      for (const auto& child : predicate.children) ForEachLeaf(*child, visit);
      return;
    default:
      visit(predicate);
  }
}

// The pages of each column of a predicate in one row group.
class PageIndex {
 public:
  PageIndex(const parquet::ParquetFile& file, int row_group, const iceberg::Predicate& predicate) {
    ForEachLeaf(predicate, [&](const iceberg::Predicate& leaf) {
      const auto [pages, is_new] = pages_.try_emplace(leaf.field_id);
      if (is_new) pages->second = file.StatisticsByPage(row_group, FieldOf(leaf));
    });
  }

  // Where a page begins, ascending.
  std::vector<FileRow> Starts() const {
    std::vector<FileRow> starts;
    for (const auto& [field_id, pages] : pages_) {
      for (const PageStatistics& page : pages) starts.push_back(page.rows.begin);
    }
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    return starts;
  }

  bool MightMatch(const iceberg::Predicate& leaf, FileRow row) const {
    const auto found = pages_.find(leaf.field_id);
    if (found == pages_.end() || found->second.empty()) return true;
    const auto after = std::upper_bound(found->second.begin(), found->second.end(), row,
                                        [](FileRow at, const PageStatistics& page) { return at < page.rows.begin; });
    return after == found->second.begin() || planning::LeafMightMatch(leaf, FactsOf((after - 1)->statistics));
  }

 private:
  std::map<iceberg::FieldId, std::vector<PageStatistics>> pages_;
};

}  // namespace

bool RowGroupMightMatch(const parquet::ParquetFile& file, int row_group, const iceberg::Predicate& predicate) {
  return planning::MightMatch(predicate, [&](const iceberg::Predicate& leaf) {
    const auto facts = FactsOfRowGroup(file, row_group, leaf);
    return !facts || planning::LeafMightMatch(leaf, *facts);
  });
}

bool RowGroupAllMatches(const parquet::ParquetFile& file, int row_group, const iceberg::Predicate& predicate) {
  const auto& columns = file.schema().columns();
  return planning::AllMatch(predicate, [&](const iceberg::Predicate& leaf) {
    const bool is_column = std::any_of(columns.begin(), columns.end(), [&](const iceberg::Field& column) { return column.id == leaf.field_id; });
    const auto facts = is_column ? FactsOfRowGroup(file, row_group, leaf) : std::nullopt;
    return facts && planning::LeafAllMatch(leaf, *facts);
  });
}

std::vector<FileRowRange> RowsThatMightMatch(const parquet::ParquetFile& file, int row_group, const iceberg::Predicate& predicate) {
  const FileRowRange group = file.row_groups()[static_cast<size_t>(row_group)];
  const PageIndex index(file, row_group, predicate);
  std::vector<FileRow> starts = index.Starts();
  if (starts.empty()) return {group};
  std::vector<FileRowRange> ranges;
  for (size_t i = 0; i < starts.size(); ++i) {
    const FileRow end = i + 1 < starts.size() ? starts[i + 1] : group.end;
    if (!planning::MightMatch(predicate, [&](const iceberg::Predicate& leaf) { return index.MightMatch(leaf, starts[i]); })) continue;
    if (!ranges.empty() && ranges.back().end == starts[i]) {
      ranges.back().end = end;
    } else {
      ranges.push_back({starts[i], end});
    }
  }
  return ranges;
}

}  // namespace vecruntime::scan
