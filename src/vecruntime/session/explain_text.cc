// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/session/explain_text.h"

#include "vecruntime/session/phase_times.h"
#include "vecruntime/session/quantity_text.h"

namespace vecruntime::session {
namespace {

// "  label         text\n"
std::string Line(const std::string& label, const std::string& text) {
  return "  " + label + std::string(label.size() < 14 ? 14 - label.size() : 1, ' ') + text + "\n";
}

std::string Skipped(int64_t count, const std::string& why) { return count == 0 ? "" : ", " + CountText(count) + " skipped " + why; }

std::string DeletesText(const planning::PlanCounts& counts) {
  std::string text;
  auto add = [&](int64_t count, const std::string& noun) {
    if (count > 0) text += (text.empty() ? "" : ", ") + CountText(count, noun);
  };
  add(counts.deletion_vectors, "deletion vector");
  add(counts.position_delete_files, "position-delete file");
  add(counts.equality_delete_files, "equality-delete file");
  if (text.empty()) text = "none";
  if (counts.delete_files_skipped > 0) text += "; " + CountText(counts.delete_files_skipped) + " more apply to no file to scan";
  return text;
}

std::string PlannedText(const ScanReport& report) {
  const planning::PlanCounts& counts = report.counts;
  const int64_t files = counts.data_files - counts.data_files_skipped_by_partition - counts.data_files_skipped_by_statistics;
  std::string text = "\nScan " + report.table + "\n";
  if (!report.filter.empty()) text += Line("filter", report.filter);
  if (!report.filter.empty()) text += Line("pruned by", report.pruning_predicate == "true" ? "nothing" : report.pruning_predicate);
  text += Line("manifests", CountText(counts.data_manifests) + " data" +
                                Skipped(counts.data_manifests_skipped, "by partition summaries") + "; " +
                                CountText(counts.delete_manifests) + " delete");
  text += Line("data files", CountText(files) + " of " + CountText(counts.data_files) +
                                 Skipped(counts.data_files_skipped_by_partition, "by partition") +
                                 Skipped(counts.data_files_skipped_by_statistics, "by statistics"));
  if (report.not_opened.files > 0) {
    text += Line("not opened", CountText(report.not_opened.files, "file") + ", answered from metadata");
  }
  text += Line("to read", BytesText(counts.data_bytes - report.not_opened.bytes) + ", " +
                              CountText(counts.data_rows - report.not_opened.rows, "row") + " before deletes");
  return text + Line("deletes", DeletesText(counts));
}

std::string MeasuredText(const scan::ScanMetrics& m) {
  std::string text = Line("files", CountText(m.files_opened) + " opened" +
                                       (m.files_not_opened > 0 ? ", " + CountText(m.files_not_opened) + " answered from metadata" : ""));
  text += Line("bytes read", BytesText(m.bytes_read));
  text += Line("row groups", CountText(m.row_groups) + Skipped(m.row_groups_skipped, "by statistics") +
                                  (m.rows_skipped > 0 ? "; " + CountText(m.rows_skipped, "row") + " of the others skipped by page indexes" : ""));
  text += Line("morsels", CountText(m.morsels) + (m.morsels_dead > 0 ? ", " + CountText(m.morsels_dead) + " with no live row" : ""));
  text += Line("rows", CountText(m.rows_read) + " read, " + CountText(m.rows_deleted) + " deleted, " + CountText(m.rows_filtered) +
                           " filtered out, " + CountText(m.rows_read - m.rows_deleted - m.rows_filtered) + " passed on");
  std::string times;
  for (const PhaseTime& phase : PhaseTimes(m)) times += (times.empty() ? "" : ", ") + phase.phase + " " + DurationText(phase.time);
  return text + Line("worker time", times);
}

}  // namespace

std::string ExplainText(const Statement& statement, const std::optional<RunFacts>& facts) {
  std::string text = statement.explanation();
  if (!text.ends_with('\n')) text += "\n";
  for (const auto& report : statement.reports()) {
    text += PlannedText(*report);
    if (facts.has_value()) text += MeasuredText(*report->metrics);
  }
  if (!facts.has_value()) return text;
  text += "\nPipelines (wall time; worker time in operators " + DurationText(std::chrono::nanoseconds(statement.operator_ns()->load())) + ")\n";
  for (const auto& pipeline : statement.pipeline_times()) text += Line(DurationText(pipeline.elapsed), pipeline.operators);
  text += Line(DurationText(facts->last_pipeline), statement.DescribeLastPipeline() + " > result");
  return text + "\nPlanned in " + DurationText(facts->planning) + ", ran in " + DurationText(facts->total) + ", " +
         CountText(facts->rows, "row") + "\n";
}

}  // namespace vecruntime::session
