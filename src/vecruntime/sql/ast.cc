// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/sql/ast.h"

#include "vecruntime/sql/parser.h"

namespace vecruntime::sql {
namespace {

std::string Dotted(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ".") + part;
  return text;
}

void AppendChildren(const Node& node, std::string* out) {
  for (const NodePtr& child : node.children) *out += " " + ToString(*child);
}

void AppendSelect(const Select& select, std::string* out) {
  *out += select.distinct ? "(select-distinct" : "(select";
  for (const SelectItem& item : select.items) {
    *out += item.alias.empty() ? " " + ToString(*item.expression) : " (as " + ToString(*item.expression) + " " + item.alias + ")";
  }
  if (select.from) {
    *out += " (from ";
    if (select.from->table) {
      const TableName& table = *select.from->table;
      *out += table.is_path ? "'" + table.parts[0] + "'" : Dotted(table.parts);
      if (table.version) *out += " version " + *table.version;
      if (table.timestamp) *out += " timestamp " + ToString(*table.timestamp);
    } else {
      *out += ToString(*select.from->subquery);
    }
    if (!select.from->alias.empty()) *out += " as " + select.from->alias;
    for (const std::string& name : select.from->column_aliases) *out += " " + name;
    *out += ")";
  }
  if (select.where) *out += " (where " + ToString(*select.where) + ")";
  if (!select.group_by.empty()) {
    *out += " (group";
    for (const NodePtr& key : select.group_by) *out += " " + ToString(*key);
    *out += ")";
  }
  if (select.having) *out += " (having " + ToString(*select.having) + ")";
  *out += ")";
}

void AppendTerm(const QueryTerm& term, std::string* out) {
  if (term.select) {
    AppendSelect(*term.select, out);
  } else if (term.nested) {
    *out += ToString(*term.nested);
  } else {
    *out += "(values";
    for (const auto& row : term.values) {
      *out += " (";
      for (size_t i = 0; i < row.size(); ++i) *out += (i == 0 ? "" : " ") + ToString(*row[i]);
      *out += ")";
    }
    *out += ")";
  }
}

}  // namespace

std::string ToString(const Node& node) {
  std::string out;
  switch (node.kind) {
    case NodeKind::kLiteral:
      return node.text;
    case NodeKind::kTypedLiteral:
      return node.name + "'" + node.text + "'";
    case NodeKind::kColumn:
      return Dotted(node.parts);
    case NodeKind::kStar:
      out = node.parts.empty() ? "*" : Dotted(node.parts) + ".*";
      if (node.except.empty()) return out;
      out = "(except " + out;
      for (const auto& parts : node.except) out += " " + Dotted(parts);
      return out + ")";
    case NodeKind::kField:
      return "(. " + ToString(*node.children[0]) + " " + node.name + ")";
    case NodeKind::kElement:
      out = "([]";
      break;
    case NodeKind::kOperator:
      out = "(" + node.name;
      break;
    case NodeKind::kCall:
      out = "(call " + node.name + (node.distinct ? " distinct" : "") + (node.star_argument ? " *" : "");
      break;
    case NodeKind::kCast:
      out = (node.try_cast ? "(try_cast " : "(cast ") + node.text;
      break;
    case NodeKind::kCase:
      out = "(case";
      break;
    case NodeKind::kExtract:
      out = "(extract " + node.name;
      break;
    case NodeKind::kLambda:
      out = "(lambda";
      for (const std::string& parameter : node.parts) out += " " + parameter;
      break;
    case NodeKind::kTrim:
      out = "(trim " + node.name;
      break;
  }
  AppendChildren(node, &out);
  if (node.filter) out += " filter " + ToString(*node.filter);
  return out + ")";
}

std::string ToString(const Query& query) {
  std::string out;
  for (const NamedQuery& named : query.with) out += "(with " + named.name + " " + ToString(*named.query) + ") ";
  if (query.terms.size() > 1) out += "(union ";
  for (size_t i = 0; i < query.terms.size(); ++i) {
    if (i > 0) out += query.terms[i].union_distinct ? " distinct " : " all ";
    AppendTerm(query.terms[i], &out);
  }
  if (query.terms.size() > 1) out += ")";
  for (const OrderItem& item : query.order_by) {
    out += " (order " + ToString(*item.expression) + (item.descending ? " desc" : " asc");
    if (item.nulls_first) out += *item.nulls_first ? " nulls-first" : " nulls-last";
    out += ")";
  }
  if (query.limit) out += " (limit " + ToString(*query.limit) + ")";
  if (query.offset) out += " (offset " + ToString(*query.offset) + ")";
  return out;
}

}  // namespace vecruntime::sql
