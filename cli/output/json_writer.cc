// SPDX-License-Identifier: Apache-2.0
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>

#include "cli/output/json_rows.h"
#include "cli/output/row_writer.h"

namespace vecruntime::cli {
namespace {

class JsonWriter : public RowWriter {
 public:
  JsonWriter(JsonRows rows, arrow::io::OutputStream* stream) : rows_(std::move(rows)), stream_(stream) {}

  arrow::Status Begin(const std::shared_ptr<arrow::Schema>&) override { return arrow::Status::OK(); }

  arrow::Status Write(const arrow::RecordBatch& batch) override {
    std::string lines;
    for (int64_t i = 0; i < batch.num_rows(); ++i) {
      rows_.AppendRow(batch, i, &lines);
      lines.push_back('\n');
      if (lines.size() < (size_t{1} << 20)) continue;
      ARROW_RETURN_NOT_OK(stream_->Write(lines));
      lines.clear();
    }
    return stream_->Write(lines);
  }

  arrow::Status End() override { return arrow::Status::OK(); }

 private:
  JsonRows rows_;
  arrow::io::OutputStream* stream_;
};

}  // namespace

arrow::Result<std::unique_ptr<RowWriter>> MakeJsonWriter(const std::string& timezone, arrow::io::OutputStream* stream) {
  ARROW_ASSIGN_OR_RAISE(auto rows, JsonRows::Make(timezone));
  return std::make_unique<JsonWriter>(std::move(rows), stream);
}

}  // namespace vecruntime::cli
