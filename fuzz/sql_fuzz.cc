// SPDX-License-Identifier: Apache-2.0
// Any bytes through the lexer, the parser and the statement splitter: errors are fine, crashes and loops are not.
#include <arrow/result.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vecruntime/sql/parser.h"
#include "vecruntime/sql/statement.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto query = vecruntime::sql::ParseQuery(text); query.ok()) (void)vecruntime::sql::ToString(**query);
  (void)vecruntime::sql::SplitStatements(text);
  return 0;
}
