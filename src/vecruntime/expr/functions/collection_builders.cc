// SPDX-License-Identifier: Apache-2.0
// array_insert, arrays_zip, map_from_entries, str_to_map.
#include <arrow/array/concatenate.h>

#include <algorithm>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/collection.h"
#include "vecruntime/expr/functions/gather.h"
#include "vecruntime/expr/higher_order.h"
#include "vecruntime/expr/value_order.h"

namespace vecruntime::expr {
namespace {

using columnar::Selection;

constexpr int64_t kMostElements = int64_t{1} << 26;

// Adds the row of `length` elements from `begin` with `item` at the 1-based place `place`, counted from the end when negative; places
// beyond the array are filled with NULL.
void InsertAt(int64_t begin, int64_t length, int64_t item, int64_t place, ListGather* gather) {
  const auto add = [&](int64_t from, int64_t to) {
    for (int64_t k = from; k < to; ++k) gather->Add(begin + k);
  };
  const auto fill = [&](int64_t count) {
    for (int64_t k = 0; k < count; ++k) gather->Add(-1);
  };
  const int64_t at = place > 0 ? place - 1 : length + 1 + place;
  add(0, std::clamp<int64_t>(at, 0, length));
  fill(at - length);
  gather->Add(item);
  fill(-at);
  add(std::clamp<int64_t>(at, 0, length), length);
}

arrow::Result<ExprPtr> BindArrayInsert(const CallSite& site) {
  if (!IsList(site.type(0))) return WrongType(site, 0, "array");
  if (!IsIntegral(site.type(1))) return WrongType(site, 1, "int");
  const TypePtr& held = ElementType(site.type(0));
  ARROW_ASSIGN_OR_RAISE(const TypePtr element, CommonType({held, site[2]->type()}));
  ARROW_RETURN_NOT_OK(CheckNoNewDecimal(site, *held, site.type(2)));
  ARROW_ASSIGN_OR_RAISE(auto place, CoerceTo(site[1], arrow::int32()));
  const TypePtr type = ListOf(element);
  Kernel kernel = [type](const std::vector<arrow::Datum>& inputs, const Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(inputs, rows, context));
    const ListInput lists(call.argument(0));
    const Column<int32_t> places(call.argument(1));
    const auto items = arrow::MakeArray(call.argument(2).data);
    ARROW_ASSIGN_OR_RAISE(const auto values, arrow::Concatenate({lists.values_ptr(), items}, context.pool));
    Selection valid = call.ValidRows(0);
    valid.And(call.ValidRows(1));
    ListGather gather(call.num_rows());
    int64_t total = 0;
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      if (valid.IsLive(row) && rows.IsLive(row)) {
        const int64_t place = places[row];
        if (place == 0) return base::InvalidArgument("[INVALID_INDEX_OF_ZERO] The index 0 is invalid; elements count from 1 or -1");
        total += std::max(lists.length(row) + 1, std::abs(place));
        if (total > kMostElements) return base::ResourceExhausted("The arrays of array_insert are too long");
        InsertAt(lists.begin(row), lists.length(row), lists.values().length() + call.argument(2).RowOf(row), place, &gather);
      }
      gather.EndRow();
    }
    return gather.FinishList(type, *values, valid, context.pool);
  };
  return Expr::Call(site.name, type, {CastIfNeeded(site[0], type), place, CastIfNeeded(site[2], element)}, kernel);
}

// A field of arrays_zip has the name of its column or field, else its place.
std::string ZipName(const Expr& argument, size_t place) {
  if (argument.kind() == ExprKind::kColumn) return argument.name();
  if (argument.kind() == ExprKind::kCall && argument.name().starts_with('.')) return argument.name().substr(1);
  return std::to_string(place);
}

arrow::Result<ExprPtr> BindArraysZip(const CallSite& site) {
  arrow::FieldVector fields;
  std::vector<ExprPtr> arguments;
  for (size_t k = 0; k < site.size(); ++k) {
    const bool null = site.type(k).id() == arrow::Type::NA;
    if (!null && !IsList(site.type(k))) return WrongType(site, k, "array");
    arguments.push_back(null ? CastIfNeeded(site[k], ListOf(arrow::null())) : site[k]);
    fields.push_back(arrow::field(ZipName(*site[k], k), ElementType(*arguments[k]->type())));
  }
  const TypePtr pair = arrow::struct_(fields), type = ListOf(pair);
  Kernel kernel = [type, pair](const std::vector<arrow::Datum>& inputs, const Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(inputs, rows, context));
    std::vector<ListInput> lists;
    for (const Argument& argument : call.arguments()) lists.emplace_back(argument);
    std::vector<std::vector<int64_t>> positions(lists.size());
    const Selection valid = call.ValidRows();
    ListGather gather(call.num_rows());
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      int64_t longest = 0;
      for (const ListInput& list : lists) longest = valid.IsLive(row) && rows.IsLive(row) ? std::max(longest, list.length(row)) : 0;
      for (int64_t k = 0; k < longest; ++k) {
        gather.Add(k);
        for (size_t list = 0; list < lists.size(); ++list) positions[list].push_back(k < lists[list].length(row) ? lists[list].begin(row) + k : -1);
      }
      gather.EndRow();
    }
    std::vector<std::shared_ptr<arrow::ArrayData>> columns;
    for (size_t list = 0; list < lists.size(); ++list) {
      ARROW_ASSIGN_OR_RAISE(const auto column, TakeRows(lists[list].values(), positions[list], context.pool));
      columns.push_back(column->data());
    }
    auto child = arrow::ArrayData::Make(pair, static_cast<int64_t>(gather.indices().size()), {nullptr}, std::move(columns), 0);
    return gather.FinishAround(type, std::move(child), valid, context.pool);
  };
  return Expr::Call(site.name, type, std::move(arguments), kernel);
}

// NULL when an entry is NULL.
arrow::Result<ExprPtr> BindMapFromEntries(const CallSite& site) {
  const bool pairs = IsList(site.type(0)) && ElementType(site.type(0))->id() == arrow::Type::STRUCT && ElementType(site.type(0))->num_fields() == 2;
  if (!pairs) return WrongType(site, 0, "array of pairs");
  const auto& pair = *ElementType(site.type(0));
  if (!IsOrderable(*pair.field(0)->type())) return base::InvalidArgument("[DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE] The key of a map cannot be or hold a map");
  const TypePtr type = arrow::map(pair.field(0)->type(), pair.field(1)->type());
  Kernel kernel = [type](const std::vector<arrow::Datum>& inputs, const Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(inputs, rows, context));
    const ListInput lists(call.argument(0));
    const auto& entries = static_cast<const arrow::StructArray&>(lists.values());
    ARROW_ASSIGN_OR_RAISE(const auto keys, entries.GetFlattenedField(0, context.pool));
    ARROW_ASSIGN_OR_RAISE(const auto items, entries.GetFlattenedField(1, context.pool));
    Selection valid = call.ValidRows();
    ListGather gather(call.num_rows());
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      bool null_entry = false;
      for (int64_t k = lists.begin(row); valid.IsLive(row) && k < lists.end(row); ++k) null_entry |= entries.IsNull(k);
      if (null_entry) valid.Kill(row);
      for (int64_t k = lists.begin(row); valid.IsLive(row) && rows.IsLive(row) && k < lists.end(row); ++k) {
        if (keys->IsNull(k)) return base::InvalidArgument("[NULL_MAP_KEY] Cannot use NULL as map key");
        for (int64_t other = lists.begin(row); other < k; ++other) {
          if (CompareValues(*keys, k, *keys, other) == 0) return base::InvalidArgument("[DUPLICATED_MAP_KEY] Duplicate map key was found");
        }
        gather.Add(k);
      }
      gather.EndRow();
    }
    ARROW_ASSIGN_OR_RAISE(const auto taken_keys, TakeRows(*keys, gather.indices(), context.pool));
    ARROW_ASSIGN_OR_RAISE(const auto taken_items, TakeRows(*items, gather.indices(), context.pool));
    const auto& map = static_cast<const arrow::MapType&>(*type);
    auto child = arrow::ArrayData::Make(map.value_type(), taken_keys->length(), {nullptr}, {taken_keys->data(), taken_items->data()}, 0);
    return gather.FinishAround(type, std::move(child), valid, context.pool);
  };
  return Expr::Call(site.name, type, {site[0]}, kernel);
}

// The text is split into pairs, each pair into a key and what follows the first delimiter; both delimiters are regular expressions.
arrow::Result<ExprPtr> BindStrToMap(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(const auto text, CoerceTo(site[0], arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(const auto between_pairs, CoerceTo(site.size() > 1 ? site[1] : StringLiteral(","), arrow::utf8()));
  ARROW_ASSIGN_OR_RAISE(const auto after_key, CoerceTo(site.size() > 2 ? site[2] : StringLiteral(":"), arrow::utf8()));
  const EvalContext& context = *site.context;
  ARROW_ASSIGN_OR_RAISE(const auto pairs, BindCall("split", {text, between_pairs}, context));
  UnboundLambda split_pair{1, [&](const auto& types) -> arrow::Result<Lambda> {
                             const auto pair = Expr::Column(0, "pair", types[0], true), delimiter = Expr::Column(1, "delimiter", arrow::utf8(), true);
                             ARROW_ASSIGN_OR_RAISE(const auto parts, BindCall("split", {pair, delimiter, IntLiteral(2)}, context));
                             ARROW_ASSIGN_OR_RAISE(const auto key, BindCall("get", {parts, IntLiteral(0)}, context));
                             ARROW_ASSIGN_OR_RAISE(const auto value, BindCall("get", {parts, IntLiteral(1)}, context));
                             ARROW_ASSIGN_OR_RAISE(auto entry, BindCall("named_struct", {StringLiteral("key"), key, StringLiteral("value"), value}, context));
                             return Lambda{std::move(entry), {after_key}};
                           }};
  ARROW_ASSIGN_OR_RAISE(const auto entries, BindHigherOrderCall("transform", {pairs}, {std::move(split_pair)}, context));
  return BindCall("map_from_entries", {entries}, context);
}

}  // namespace

void AddCollectionBuilders(FunctionTable* table) {
  table->Add({"array_insert"}, 3, 3, BindArrayInsert);
  table->Add({"arrays_zip"}, 1, -1, BindArraysZip);
  table->Add({"map_from_entries"}, 1, 1, BindMapFromEntries);
  table->Add({"str_to_map"}, 1, 3, BindStrToMap);
}

}  // namespace vecruntime::expr
