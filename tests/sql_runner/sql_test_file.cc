// SPDX-License-Identifier: Apache-2.0
#include "tests/sql_runner/sql_test_file.h"

#include <sstream>

namespace vecruntime::sql_test {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

// "error KIND text1 text2"; a text in double quotes may hold blanks.
std::vector<std::string> Words(const std::string& line) {
  std::vector<std::string> words;
  for (size_t at = 0; at < line.size();) {
    if (line[at] == ' ') {
      ++at;
      continue;
    }
    const bool quoted = line[at] == '"';
    const size_t end = std::min(line.find(quoted ? '"' : ' ', at + 1), line.size());
    words.push_back(line.substr(at + (quoted ? 1 : 0), end - at - (quoted ? 1 : 0)));
    at = end + (quoted ? 1 : 0);
  }
  return words;
}

bool ParseHeader(const std::string& line, Record* record) {
  const std::vector<std::string> words = Words(line);
  if (words[0] == "query" && words.size() == 1) {
    record->kind = RecordKind::kQuery;
  } else if (words[0] == "query" && words.size() == 2 && words[1] == "ordered") {
    record->kind = RecordKind::kQueryOrdered;
  } else if (words[0] == "types" && words.size() == 1) {
    record->kind = RecordKind::kTypes;
  } else if (words[0] == "error" && words.size() >= 2) {
    record->kind = RecordKind::kError;
    record->error_kind = words[1];
    record->error_texts.assign(words.begin() + 2, words.end());
  } else {
    return false;
  }
  return true;
}

}  // namespace

ParsedFile ParseTestFile(const std::string& text) {
  ParsedFile file;
  const std::vector<std::string> lines = Lines(text);
  auto fail = [&](size_t line, const std::string& what) {
    file.error = "line " + std::to_string(line + 1) + ": " + what;
    return file;
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty() || lines[i][0] == '#') continue;
    Record record;
    record.line = static_cast<int>(i) + 1;
    if (!ParseHeader(lines[i], &record)) return fail(i, "neither query, query ordered, types nor error: " + lines[i]);
    size_t at = i + 1;
    for (; at < lines.size() && !lines[at].empty() && lines[at] != "----"; ++at) {
      if (lines[at][0] == '#') continue;
      record.sql += (record.sql.empty() ? "" : "\n") + lines[at];
    }
    if (record.sql.empty()) return fail(i, "a record without SQL");
    const bool has_expected = at < lines.size() && lines[at] == "----";
    if (!has_expected && record.kind != RecordKind::kError) return fail(i, "a record without ----");
    if (has_expected) {
      for (++at; at < lines.size() && !lines[at].empty(); ++at) {
        if (lines[at][0] != '#') record.expected.push_back(lines[at]);
      }
    }
    file.records.push_back(std::move(record));
    i = at;
  }
  return file;
}

}  // namespace vecruntime::sql_test
