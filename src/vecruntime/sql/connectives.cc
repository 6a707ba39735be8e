// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/connectives.h"

namespace vecruntime::sql {
namespace {

template <typename Connect>
expr::ExprPtr Balance(const std::vector<expr::ExprPtr>& terms, size_t begin, size_t end, const Connect& connect) {
  if (end - begin == 1) return terms[begin];
  const size_t middle = begin + (end - begin) / 2;
  return connect(Balance(terms, begin, middle, connect), Balance(terms, middle, end, connect));
}

}  // namespace

expr::ExprPtr MakeConjunction(const std::vector<expr::ExprPtr>& terms) { return Balance(terms, 0, terms.size(), expr::Expr::And); }
expr::ExprPtr MakeDisjunction(const std::vector<expr::ExprPtr>& terms) { return Balance(terms, 0, terms.size(), expr::Expr::Or); }

}  // namespace vecruntime::sql
