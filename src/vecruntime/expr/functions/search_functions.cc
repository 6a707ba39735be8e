// SPDX-License-Identifier: Apache-2.0
// Functions that look into strings and answer with numbers or booleans.
#include <algorithm>
#include <limits>
#include <vector>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/row_kernel.h"
#include "vecruntime/expr/utf8.h"

namespace vecruntime::expr {
namespace {

using Text = std::string_view;

// length and its kin: strings by characters (or bytes), binaries by bytes.
Binder Length(bool bytes, int factor) {
  return [bytes, factor](const CallSite& site) -> arrow::Result<ExprPtr> {
    const bool binary = site.type(0).id() == arrow::Type::BINARY;
    ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[0], binary ? arrow::binary() : arrow::utf8()));
    const bool by_bytes = bytes || binary;
    return Expr::Call(site.name, arrow::int32(), {text},
                      RowKernel<int32_t, Text>(arrow::int32(), [by_bytes, factor](Writer<int32_t>& out, Text value) {
                        const int64_t length = by_bytes ? static_cast<int64_t>(value.size()) : CharacterCount(value);
                        out.Set(static_cast<int32_t>(length * factor));
                      }));
  };
}

// 1-based character position of `part` at or after character `start` (from 0); 0 when there is none.
int32_t Find(Text text, Text part, int64_t start) {
  if (part.empty()) return 1;
  const size_t from = ByteOffsetOf(text, start);
  const size_t found = text.find(part, from);
  if (found == Text::npos) return 0;
  return static_cast<int32_t>(CharacterCount(text.substr(0, found))) + 1;
}

arrow::Result<ExprPtr> BindLocate(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto part, CoerceTo(site[0], arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[1], arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(auto start, site.size() > 2 ? CoerceTo(site[2], arrow::int32()) : arrow::Result<ExprPtr>(IntLiteral(1)));
  // A NULL start gives 0, not NULL.
  start = site.size() > 2 ? Expr::Coalesce({start, IntLiteral(0)}) : start;
  return Expr::Call(site.name, arrow::int32(), {part, text, start},
                    RowKernel<int32_t, Text, Text, int32_t>(arrow::int32(), [](Writer<int32_t>& out, Text p, Text t, int32_t from) {
                      out.Set(from < 1 ? 0 : Find(t, p, from - 1));
                    }));
}

template <typename Test>
Binder TextTest(Test test) {
  return [test](const CallSite& site) -> arrow::Result<ExprPtr> {
    const bool binary = site.type(0).id() == arrow::Type::BINARY && site.type(1).id() == arrow::Type::BINARY;
    const TypePtr type = binary ? arrow::binary() : arrow::utf8();
    ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[0], type));
    ARROW_ASSIGN_OR_RAISE(auto part, CoerceTo(site[1], type));
    return Expr::Call(site.name, arrow::boolean(), {text, part},
                      RowKernel<bool, Text, Text>(arrow::boolean(), [test](Writer<bool>& out, Text t, Text p) { out.Set(test(t, p)); }));
  };
}

int32_t FirstCodePoint(Text text) {
  size_t at = 0;
  return text.empty() ? 0 : static_cast<int32_t>(DecodeAt(text, &at));
}

int32_t FindInSet(Text word, Text list) {
  if (word.find(',') != Text::npos) return 0;
  int32_t index = 1;
  for (size_t at = 0;; ++index) {
    const size_t comma = list.find(',', at);
    if (list.substr(at, comma == Text::npos ? Text::npos : comma - at) == word) return index;
    if (comma == Text::npos) return 0;
    at = comma + 1;
  }
}

std::vector<char32_t> CodePoints(Text text) {
  std::vector<char32_t> codes;
  for (size_t at = 0; at < text.size();) codes.push_back(DecodeAt(text, &at));
  return codes;
}

int32_t Levenshtein(Text left, Text right) {
  const auto a = CodePoints(left), b = CodePoints(right);
  std::vector<int32_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int32_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int32_t diagonal = row[0];
    row[0] = static_cast<int32_t>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int32_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

// elt(n, a, b, ...): CASE n WHEN 1 THEN a ... with an error beyond the ends.
arrow::Result<ExprPtr> BindElt(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto index, CoerceTo(site[0], arrow::int32()));
  const auto count = static_cast<int32_t>(site.size()) - 1;
  std::vector<ExprPtr> branches;
  for (int32_t k = 1; k <= count; ++k) {
    ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[static_cast<size_t>(k)], arrow::utf8()));
    branches.push_back(Expr::Call("=", arrow::boolean(), {index, IntLiteral(k)}, MakeComparisonKernel("=", *arrow::int32())));
    branches.push_back(text);
  }
  branches.push_back(Expr::Call("elt_bounds", arrow::utf8(), {index},
                                RowKernel<Text, int32_t>(arrow::utf8(), [count](Writer<Text>& out, int32_t at) {
                                  out.Fail(base::InvalidArgument("[INVALID_ARRAY_INDEX] The index is out of bounds: ", at, " of ", count));
                                })));
  return Expr::Case(std::move(branches), arrow::utf8());
}

}  // namespace

void AddSearchFunctions(FunctionTable* table) {
  const TypePtr text = arrow::utf8(), number = arrow::int32();
  table->Add({"length", "len", "char_length", "character_length"}, 1, 1, Length(false, 1));
  table->Add({"octet_length"}, 1, 1, Length(true, 1));
  table->Add({"bit_length"}, 1, 1, Length(true, 8));
  table->AddSimple({"instr"}, {text, text}, number,
                   RowKernel<int32_t, Text, Text>(number, [](Writer<int32_t>& out, Text t, Text p) { out.Set(Find(t, p, 0)); }));
  table->Add({"locate", "position"}, 2, 3, BindLocate);
  table->Add({"startswith"}, 2, 2, TextTest([](Text t, Text p) { return t.starts_with(p); }));
  table->Add({"endswith"}, 2, 2, TextTest([](Text t, Text p) { return t.ends_with(p); }));
  table->Add({"contains"}, 2, 2, TextTest([](Text t, Text p) { return t.find(p) != Text::npos; }));
  table->AddSimple({"ascii"}, {text}, number,
                   RowKernel<int32_t, Text>(number, [](Writer<int32_t>& out, Text t) { out.Set(FirstCodePoint(t)); }));
  table->AddSimple({"find_in_set"}, {text, text}, number,
                   RowKernel<int32_t, Text, Text>(number, [](Writer<int32_t>& out, Text w, Text l) { out.Set(FindInSet(w, l)); }));
  table->AddSimple({"levenshtein"}, {text, text, number}, number,
                   RowKernel<int32_t, Text, Text, int32_t>(number, [](Writer<int32_t>& out, Text a, Text b, int32_t limit) {
                     const int32_t distance = Levenshtein(a, b);
                     out.Set(limit >= 0 && distance > limit ? -1 : distance);
                   }),
                   {IntLiteral(-1)});
  table->Add({"elt"}, 2, -1, BindElt);
}

}  // namespace vecruntime::expr
