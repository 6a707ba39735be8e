// SPDX-License-Identifier: Apache-2.0
// The records of a tests/sql/*.test file.
//
//   query [ordered]        rows as JSON objects, one a line; compared as a multiset unless ordered
//   types                  "name type" of each output column, Spark's type names
//   error KIND [text ...]  must fail with that kind, the message holding each text, and no row come out
//   SQL, any number of lines
//   ----                   (not for error)
//   expected lines
//   (blank line)
// Lines that begin with '#' outside a record are comments.
#pragma once

#include <string>
#include <vector>

namespace vecruntime::sql_test {

enum class RecordKind { kQuery, kQueryOrdered, kTypes, kError };

struct Record {
  RecordKind kind = RecordKind::kQuery;
  int line = 0;  // of the record's first line, from 1
  std::string sql;
  std::vector<std::string> expected;      // rows, or types
  std::string error_kind;
  std::vector<std::string> error_texts;
};

struct ParsedFile {
  std::vector<Record> records;
  std::string error;  // "line N: ..." when the file is not well formed
};

ParsedFile ParseTestFile(const std::string& text);

}  // namespace vecruntime::sql_test
