// SPDX-License-Identifier: Apache-2.0
// Regular expressions in Java's syntax and meaning, run by RE2 in linear time. What the two engines understand differently is translated
// where it can be, and refused where it cannot: an answer is Java's or an error.
#pragma once

#include <arrow/result.h>
#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>

namespace vecruntime::expr {

class JavaRegex {
 public:
  /// Unsupported naming the pattern when it uses what RE2 lacks (look-around, back-references, possessive quantifiers, class
  /// intersections); InvalidArgument when Java refuses it too. `only_tests`: nobody asks where a match lies.
  static arrow::Result<std::shared_ptr<const JavaRegex>> Make(std::string_view pattern, bool only_tests);

  const re2::RE2& regex() const { return *regex_; }
  /// Unsupported when the engines could differ on this text (line ends at `$`, word boundaries and case folding beyond ASCII).
  arrow::Status CheckText(std::string_view text) const;

 private:
  std::unique_ptr<re2::RE2> regex_;
  std::string pattern_;
  bool ascii_only_ = false;
  bool folds_case_ = false;
  bool no_final_line_end_ = false;
};

}  // namespace vecruntime::expr
