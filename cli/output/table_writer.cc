// SPDX-License-Identifier: Apache-2.0
// An aligned table for people, with a row count below. Widths come from the first rows; on a terminal, wide columns and long results are
// shortened, and the footer says so.
#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <numeric>

#include "cli/output/display_width.h"
#include "cli/output/row_writer.h"
#include "cli/output/text_columns.h"

namespace vecruntime::cli {
namespace {

constexpr size_t kRowsForWidths = 10000;
constexpr int kColumnWidthMin = 8;

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int k = 0; k < times; ++k) out += text;
  return out;
}

// 1234567 -> "1,234,567"
std::string Grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

bool IsNumber(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || arrow::is_floating(type.id()) || arrow::is_decimal(type.id());
}

class TableWriter : public RowWriter {
 public:
  TableWriter(const WriterOptions& options, arrow::io::OutputStream* stream) : options_(options), text_(options.timezone), stream_(stream) {}

  arrow::Status Begin(const std::shared_ptr<arrow::Schema>& schema) override {
    for (const auto& field : schema->fields()) {
      names_.push_back(Printable(field->name()));
      right_.push_back(IsNumber(*field->type()));
    }
    return arrow::Status::OK();
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    const int64_t shown_before = std::min(rows_, RowsMax());
    rows_ += batch.num_rows();
    const int64_t shown = std::min(rows_, RowsMax()) - shown_before;
    if (shown == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto columns, text_.Convert(*batch.Slice(0, shown)));
    for (int64_t i = 0; i < shown; ++i) {
      std::vector<std::string> cells;
      for (const auto& column : columns) cells.push_back(column->IsNull(i) ? "NULL" : Printable(column->GetView(i)));
      held_.push_back(std::move(cells));
    }
    return held_.size() < kRowsForWidths ? arrow::Status::OK() : Flush();
  }

  arrow::Status End() override {
    ARROW_RETURN_NOT_OK(Flush());
    std::string footer = names_.empty() ? "" : Rule("└", "┴", "┘");
    footer += Grouped(rows_) + (rows_ == 1 ? " row" : " rows");
    if (rows_ > RowsMax()) footer += " (first " + Grouped(RowsMax()) + " shown; --output or a pipe gives all)";
    return stream_->Write(footer + "\n");
  }

 private:
  int64_t RowsMax() const { return options_.terminal_rows_max > 0 ? options_.terminal_rows_max : std::numeric_limits<int64_t>::max(); }

  arrow::Status Flush() {
    std::string out;
    if (widths_.empty() && !names_.empty()) {
      ChooseWidths();
      out += Rule("┌", "┬", "┐") + Row(names_) + Rule("├", "┼", "┤");
    }
    if (!names_.empty()) {
      for (const auto& cells : held_) out += Row(cells);
    }
    held_.clear();
    return stream_->Write(out);
  }

  void ChooseWidths() {
    widths_.resize(names_.size(), 1);
    for (size_t c = 0; c < names_.size(); ++c) {
      widths_[c] = std::max(widths_[c], DisplayWidth(names_[c]));
      for (const auto& cells : held_) widths_[c] = std::max(widths_[c], DisplayWidth(cells[c]));
    }
    if (options_.terminal_columns == 0) return;
    // One cell at a time from the widest column until the table fits.
    const int frame = 3 * static_cast<int>(widths_.size()) + 1;
    int excess = std::accumulate(widths_.begin(), widths_.end(), frame) - options_.terminal_columns;
    while (excess > 0) {
      auto widest = std::max_element(widths_.begin(), widths_.end());
      if (*widest <= kColumnWidthMin) break;
      --*widest;
      --excess;
    }
  }

  std::string Rule(std::string_view left, std::string_view middle, std::string_view right) const {
    std::string line(left);
    for (size_t c = 0; c < widths_.size(); ++c) {
      if (c != 0) line += middle;
      line += Repeat("─", widths_[c] + 2);
    }
    return line + std::string(right) + "\n";
  }

  std::string Row(const std::vector<std::string>& cells) const {
    std::string line;
    for (size_t c = 0; c < cells.size(); ++c) {
      const std::string cell = options_.terminal_columns > 0 ? CutToWidth(cells[c], widths_[c]) : cells[c];
      const std::string padding(static_cast<size_t>(std::max(0, widths_[c] - DisplayWidth(cell))), ' ');
      line += "│ " + (right_[c] ? padding + cell : cell + padding) + " ";
    }
    return line + "│\n";
  }

  WriterOptions options_;
  TextColumns text_;
  arrow::io::OutputStream* stream_;
  std::vector<std::string> names_;
  std::vector<bool> right_;
  std::vector<int> widths_;  // empty until the header is written
  std::vector<std::vector<std::string>> held_;
  int64_t rows_ = 0;
};

}  // namespace

arrow::Result<std::unique_ptr<RowWriter>> MakeTableWriter(const WriterOptions& options, arrow::io::OutputStream* stream) {
  return std::make_unique<TableWriter>(options, stream);
}

}  // namespace vecruntime::cli
