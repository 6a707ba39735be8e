// SPDX-License-Identifier: Apache-2.0
// Runs one statement over a warehouse and prints its rows: query WAREHOUSE SQL
#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <iostream>

#include "vecruntime/session.h"

arrow::Status Run(const std::string& warehouse, const std::string& sql) {
  vecruntime::SessionOptions options;
  options.warehouse = warehouse;
  options.moved_paths = vecruntime::MovedPaths::kAllow;
  ARROW_ASSIGN_OR_RAISE(auto session, vecruntime::Session::Make(options));
  ARROW_ASSIGN_OR_RAISE(auto reader, session->Sql(sql));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    std::cout << batch->ToString();
  }
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: query WAREHOUSE SQL\n";
    return 2;
  }
  const arrow::Status status = Run(argv[1], argv[2]);
  if (status.ok()) return 0;
  std::cerr << vecruntime::KindName(vecruntime::KindOf(status)) << ": " << status.message() << "\n";
  return vecruntime::ExitCode(vecruntime::KindOf(status));
}
