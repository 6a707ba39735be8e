// SPDX-License-Identifier: Apache-2.0
#include "cli/result_printer.h"

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "cli/descriptor_stream.h"
#include "cli/progress_bar.h"

namespace vecruntime::cli {

arrow::Status PrintResult(const std::shared_ptr<Session>& session, const std::string& statement, const PrintOptions& options,
                          OutputTarget* target) {
  const auto start = std::chrono::steady_clock::now();
  ProgressBar progress(session);
  ARROW_ASSIGN_OR_RAISE(auto reader, session->Sql(statement, options.delivery));
  std::shared_ptr<arrow::RecordBatch> batch;
  ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
  if (options.writer.terminal_columns > 0) progress.Stop();
  ARROW_ASSIGN_OR_RAISE(auto writer, MakeRowWriter(options.writer, target->stream()));
  ARROW_RETURN_NOT_OK(writer->Begin(reader->schema()));
  int64_t rows = 0;
  while (batch != nullptr) {
    rows += batch->num_rows();
    ARROW_RETURN_NOT_OK(writer->Write(*batch));
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
  }
  ARROW_RETURN_NOT_OK(writer->End());
  ARROW_RETURN_NOT_OK(target->Flush());
  progress.Stop();
  if (options.timing) {
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    std::fprintf(stderr, "%lld row%s in %.1f ms\n", static_cast<long long>(rows), rows == 1 ? "" : "s", ms);
  }
  return arrow::Status::OK();
}

arrow::Status PrintText(std::string_view text) { return DescriptorStream(STDOUT_FILENO).Write(text.data(), static_cast<int64_t>(text.size())); }

}  // namespace vecruntime::cli
