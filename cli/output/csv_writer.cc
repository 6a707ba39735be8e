// SPDX-License-Identifier: Apache-2.0
// RFC 4180 with a header and LF line ends. NULL is an empty field, an empty string a quoted one.
#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "cli/output/row_writer.h"
#include "cli/output/text_columns.h"

namespace vecruntime::cli {
namespace {

void AppendField(std::string_view text, std::string* out) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    *out += text;
    return;
  }
  out->push_back('"');
  for (char c : text) {
    if (c == '"') out->push_back('"');
    out->push_back(c);
  }
  out->push_back('"');
}

class CsvWriter : public RowWriter {
 public:
  CsvWriter(const std::string& timezone, arrow::io::OutputStream* stream) : text_(timezone), stream_(stream) {}

  arrow::Status Begin(const std::shared_ptr<arrow::Schema>& schema) override {
    std::string line;
    for (const auto& field : schema->fields()) {
      if (!line.empty()) line.push_back(',');
      AppendField(field->name(), &line);
    }
    return stream_->Write(line + "\n");
  }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(const auto columns, text_.Convert(batch));
    std::string lines;
    for (int64_t i = 0; i < batch.num_rows(); ++i) {
      for (size_t c = 0; c < columns.size(); ++c) {
        if (c != 0) lines.push_back(',');
        if (columns[c]->IsValid(i)) AppendField(columns[c]->GetView(i), &lines);
      }
      lines.push_back('\n');
    }
    return stream_->Write(lines);
  }

  arrow::Status End() override { return arrow::Status::OK(); }

 private:
  TextColumns text_;
  arrow::io::OutputStream* stream_;
};

}  // namespace

arrow::Result<std::unique_ptr<RowWriter>> MakeCsvWriter(const std::string& timezone, arrow::io::OutputStream* stream) {
  return std::make_unique<CsvWriter>(timezone, stream);
}

}  // namespace vecruntime::cli
