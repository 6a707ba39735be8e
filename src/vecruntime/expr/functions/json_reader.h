// SPDX-License-Identifier: Apache-2.0
// Reads JSON text token by token as Jackson does with the options Spark gives it: names and strings may stand in single quotes, control
// characters need no escape, nothing else is forgiven. Only what is read is checked, so text after the value that was looked for may be
// anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vecruntime::expr {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  /// False once the text turned out to be malformed; then all else fails too.
  bool ok() const { return ok_; }
  /// The next byte that is no white space, 0 at the end; not taken.
  char Peek();
  /// Takes `symbol` when it is next.
  bool Take(char symbol);
  /// Takes the next value and writes it as Jackson's generator would: without white space, numbers with a fraction or an exponent as
  /// doubles; a string that is the whole value is written unescaped. `level` is the number of containers around the value.
  bool CopyRaw(int level, std::string* out);
  bool Skip(int level) { return CopyValue(nullptr, level); }
  /// Takes the name of a member and its colon.
  bool Name(std::string* name);
  bool Fail();
  /// Fails where containers are nested deeper than Jackson reads them.
  bool CheckLevel(int level);

 private:
  bool CopyValue(std::string* out, int level);
  bool CopyContainer(std::string* out, char close, int level);
  bool CopyNumber(std::string* out);
  bool TakeWord(std::string_view word);
  bool String(std::string* out);
  bool Escape(std::string* out);
  bool Hex4(uint32_t* unit);

  std::string_view text_;
  size_t at_ = 0;
  bool ok_ = true;
};

/// Writes a string as a JSON string, as Jackson does: only quotes, backslashes and control characters are escaped.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace vecruntime::expr
