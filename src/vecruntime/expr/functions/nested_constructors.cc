// SPDX-License-Identifier: Apache-2.0
// array(), map(), struct(), named_struct(), sequence(), and access to struct fields.
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/collection.h"
#include "vecruntime/expr/functions/gather.h"
#include "vecruntime/expr/value_order.h"

namespace vecruntime::expr {
namespace {

using columnar::Selection;

// The arguments of one type laid end to end, and the position of argument k at a row.
struct Stacked {
  std::shared_ptr<arrow::Array> values;
  std::vector<int64_t> bases;

  static arrow::Result<Stacked> Make(const KernelCall& call, size_t first, size_t step) {
    Stacked stacked;
    arrow::ArrayVector columns;
    int64_t total = 0;
    for (size_t k = first; k < call.arguments().size(); k += step) {
      columns.push_back(arrow::MakeArray(call.argument(k).data));
      stacked.bases.push_back(total);
      total += columns.back()->length();
    }
    ARROW_ASSIGN_OR_RAISE(stacked.values, arrow::Concatenate(columns, call.context().pool));
    return stacked;
  }
};

arrow::Result<ExprPtr> BindArray(const CallSite& site) {
  if (site.size() == 0) {
    const TypePtr type = ListOf(arrow::null());
    ARROW_ASSIGN_OR_RAISE(const auto empty, arrow::MakeEmptyArray(arrow::null()));
    return Expr::Literal(std::make_shared<arrow::ListScalar>(empty, type));
  }
  ARROW_ASSIGN_OR_RAISE(auto arguments, UnifyArguments(site));
  const TypePtr type = ListOf(arguments[0]->type());
  Kernel kernel = [type](const std::vector<arrow::Datum>& inputs, const Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(inputs, rows, context));
    ARROW_ASSIGN_OR_RAISE(const Stacked stacked, Stacked::Make(call, 0, 1));
    ListGather gather(call.num_rows());
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      for (size_t k = 0; k < stacked.bases.size() && rows.IsLive(row); ++k) gather.Add(stacked.bases[k] + call.argument(k).RowOf(row));
      gather.EndRow();
    }
    return gather.FinishList(type, *stacked.values, Selection::All(call.num_rows()), context.pool);
  };
  return Expr::Call(site.name, type, arguments, kernel);
}

arrow::Status CheckKeys(const arrow::Array& keys, const std::vector<int64_t>& positions) {
  for (size_t a = 0; a < positions.size(); ++a) {
    if (keys.IsNull(positions[a])) return base::InvalidArgument("[NULL_MAP_KEY] Cannot use NULL as map key");
    for (size_t b = 0; b < a; ++b) {
      if (CompareValues(keys, positions[a], keys, positions[b]) == 0) return base::InvalidArgument("[DUPLICATED_MAP_KEY] Duplicate map key was found");
    }
  }
  return arrow::Status::OK();
}

arrow::Result<arrow::Datum> FinishMap(const TypePtr& type, const arrow::Array& keys, const ListGather& key_gather, const arrow::Array& items,
                                      const std::vector<int64_t>& item_positions, const Selection& valid, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const auto taken_keys, TakeRows(keys, key_gather.indices(), pool));
  ARROW_ASSIGN_OR_RAISE(const auto taken_items, TakeRows(items, item_positions, pool));
  const auto& map = static_cast<const arrow::MapType&>(*type);
  auto entries = arrow::ArrayData::Make(map.value_type(), taken_keys->length(), {nullptr}, {taken_keys->data(), taken_items->data()}, 0);
  return key_gather.FinishAround(type, std::move(entries), valid, pool);
}

arrow::Result<ExprPtr> EmptyMap() {
  const TypePtr type = arrow::map(arrow::null(), arrow::null());
  ARROW_ASSIGN_OR_RAISE(const auto entries, arrow::MakeEmptyArray(static_cast<const arrow::MapType&>(*type).value_type()));
  return Expr::Literal(std::make_shared<arrow::MapScalar>(entries, type));
}

arrow::Result<ExprPtr> BindMap(const CallSite& site) {
  if (site.size() == 0) return EmptyMap();
  if (site.size() % 2 != 0) {
    return base::InvalidArgument("[WRONG_NUM_ARGS.WITHOUT_SUGGESTION] map needs pairs of keys and values: ", site.size());
  }
  std::vector<TypePtr> key_types, item_types;
  for (size_t k = 0; k < site.size(); ++k) (k % 2 == 0 ? key_types : item_types).push_back(site[k]->type());
  ARROW_ASSIGN_OR_RAISE(const TypePtr key, CommonType(key_types));
  ARROW_ASSIGN_OR_RAISE(const TypePtr item, CommonType(item_types));
  if (!IsOrderable(*key)) return base::InvalidArgument("[DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE] The key of a map cannot be or hold a map");
  std::vector<ExprPtr> arguments;
  for (size_t k = 0; k < site.size(); ++k) arguments.push_back(CastIfNeeded(site[k], k % 2 == 0 ? key : item));
  const TypePtr type = arrow::map(key, item);
  Kernel kernel = [type](const std::vector<arrow::Datum>& inputs, const Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(inputs, rows, context));
    ARROW_ASSIGN_OR_RAISE(const Stacked keys, Stacked::Make(call, 0, 2));
    ARROW_ASSIGN_OR_RAISE(const Stacked items, Stacked::Make(call, 1, 2));
    ListGather gather(call.num_rows());
    std::vector<int64_t> item_positions;
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      std::vector<int64_t> row_keys;
      for (size_t k = 0; k < keys.bases.size() && rows.IsLive(row); ++k) {
        row_keys.push_back(keys.bases[k] + call.argument(2 * k).RowOf(row));
        gather.Add(row_keys.back());
        item_positions.push_back(items.bases[k] + call.argument(2 * k + 1).RowOf(row));
      }
      ARROW_RETURN_NOT_OK(CheckKeys(*keys.values, row_keys));
      gather.EndRow();
    }
    return FinishMap(type, *keys.values, gather, *items.values, item_positions, Selection::All(call.num_rows()), context.pool);
  };
  return Expr::Call(site.name, type, arguments, kernel);
}

arrow::Result<ExprPtr> BindMapFromArrays(const CallSite& site) {
  if (!IsList(site.type(0)) || !IsList(site.type(1))) return WrongType(site, IsList(site.type(0)) ? 1 : 0, "array");
  const TypePtr type = arrow::map(ElementType(site.type(0)), ElementType(site.type(1)));
  Kernel kernel = [type](const std::vector<arrow::Datum>& inputs, const Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(inputs, rows, context));
    const ListInput keys(call.argument(0)), items(call.argument(1));
    const Selection valid = call.ValidRows();
    ListGather gather(call.num_rows());
    std::vector<int64_t> item_positions;
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      if (valid.IsLive(row) && rows.IsLive(row)) {
        if (keys.length(row) != items.length(row)) return base::InvalidArgument("The key array and value array of map_from_arrays must have the same length");
        std::vector<int64_t> row_keys;
        for (int64_t k = 0; k < keys.length(row); ++k) {
          row_keys.push_back(keys.begin(row) + k);
          gather.Add(row_keys.back());
          item_positions.push_back(items.begin(row) + k);
        }
        ARROW_RETURN_NOT_OK(CheckKeys(keys.values(), row_keys));
      }
      gather.EndRow();
    }
    return FinishMap(type, keys.values(), gather, items.values(), item_positions, valid, context.pool);
  };
  return Expr::Call(site.name, type, site.arguments, kernel);
}

// ------------------------------------------------------------------------------------------------------------------- structs

ExprPtr StructCall(const CallSite& site, std::vector<ExprPtr> values, const std::vector<std::string>& names) {
  arrow::FieldVector fields;
  for (size_t k = 0; k < values.size(); ++k) fields.push_back(arrow::field(names[k], values[k]->type()));
  const TypePtr type = arrow::struct_(fields);
  Kernel kernel = [type](const std::vector<arrow::Datum>& inputs, const Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    std::vector<std::shared_ptr<arrow::ArrayData>> children;
    for (const arrow::Datum& input : inputs) {
      if (input.is_array()) {
        children.push_back(input.array());
      } else {
        ARROW_ASSIGN_OR_RAISE(const auto all, arrow::MakeArrayFromScalar(*input.scalar(), rows.length(), context.pool));
        children.push_back(all->data());
      }
    }
    return arrow::Datum(arrow::ArrayData::Make(type, rows.length(), {nullptr}, std::move(children), 0));
  };
  return Expr::Call("named_struct", type, std::move(values), kernel);
}

arrow::Result<ExprPtr> BindStruct(const CallSite& site) {
  std::vector<std::string> names;
  for (size_t k = 0; k < site.size(); ++k) {
    const Expr& argument = *site[k];
    if (argument.kind() == ExprKind::kColumn) {
      names.push_back(argument.name());
    } else if (argument.kind() == ExprKind::kCall && argument.name().starts_with('.')) {
      names.push_back(argument.name().substr(1));
    } else {
      names.push_back("col" + std::to_string(k + 1));
    }
  }
  return StructCall(site, site.arguments, names);
}

arrow::Result<ExprPtr> BindNamedStruct(const CallSite& site) {
  if (site.size() % 2 != 0) return base::InvalidArgument("[WRONG_NUM_ARGS.WITHOUT_SUGGESTION] named_struct needs pairs of names and values: ", site.size());
  std::vector<std::string> names;
  std::vector<ExprPtr> values;
  for (size_t k = 0; k < site.size(); k += 2) {
    std::string storage;
    const std::string* name = ConstantText(site[k], &storage);
    if (name == nullptr) return base::InvalidArgument("[DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING] Field names must be constant strings");
    names.push_back(*name);
    values.push_back(site[k + 1]);
  }
  return StructCall(site, std::move(values), names);
}

// Integers from start to stop, by step (1 or -1 when not given).
arrow::Result<ExprPtr> BindSequence(const CallSite& site) {
  const auto is_time = [](const arrow::DataType& type) { return type.id() == arrow::Type::DATE32 || IsTimestamp(type); };
  if (is_time(site.type(0)) || is_time(site.type(1))) return BindTemporalSequence(site);
  for (size_t k = 0; k < site.size(); ++k) {
    if (!IsIntegral(site.type(k)) && site.type(k).id() != arrow::Type::NA) return base::Unsupported("sequence of other than integers, dates and timestamps is not supported");
  }
  ARROW_ASSIGN_OR_RAISE(const auto unified, UnifyArguments(site));
  const TypePtr element = unified[0]->type();
  std::vector<ExprPtr> arguments;
  for (const ExprPtr& argument : unified) arguments.push_back(CastIfNeeded(argument, arrow::int64()));
  const TypePtr longs = ListOf(arrow::int64());
  Kernel kernel = [longs](const std::vector<arrow::Datum>& inputs, const Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    constexpr int64_t kMostElements = 1 << 26;
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(inputs, rows, context));
    const Selection valid = call.ValidRows();
    ListGather gather(call.num_rows());
    std::vector<int64_t> values;
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      if (valid.IsLive(row) && rows.IsLive(row)) {
        const int64_t start = Column<int64_t>(call.argument(0))[row], stop = Column<int64_t>(call.argument(1))[row];
        const int64_t step = call.arguments().size() > 2 ? Column<int64_t>(call.argument(2))[row] : start <= stop ? 1 : -1;
        if ((step == 0 && start != stop) || (step > 0 && start > stop) || (step < 0 && start < stop)) {
          return base::InvalidArgument("Illegal sequence boundaries: ", start, " to ", stop, " by ", step);
        }
        const Int128 count = step == 0 ? 1 : (static_cast<Int128>(stop) - start) / step + 1;
        if (count + static_cast<Int128>(values.size()) > kMostElements) return base::ResourceExhausted("Sequence is too long");
        for (int64_t k = 0; k < static_cast<int64_t>(count); ++k) {
          gather.Add(static_cast<int64_t>(values.size()));
          values.push_back(start + k * step);
        }
      }
      gather.EndRow();
    }
    const auto count = static_cast<int64_t>(values.size());
    auto child = arrow::ArrayData::Make(arrow::int64(), count, {nullptr, arrow::Buffer::FromVector(std::move(values))}, 0);
    return gather.FinishAround(longs, std::move(child), valid, context.pool);
  };
  return CastIfNeeded(Expr::Call(site.name, longs, arguments, kernel), ListOf(element));
}

}  // namespace

void AddConstructors(FunctionTable* table) {
  table->Add({"array"}, 0, -1, BindArray);
  table->Add({"map"}, 0, -1, BindMap);
  table->Add({"map_from_arrays"}, 2, 2, BindMapFromArrays);
  table->Add({"struct"}, 1, -1, BindStruct);
  table->Add({"named_struct"}, 2, -1, BindNamedStruct);
  table->Add({"sequence"}, 2, 3, BindSequence);
}

namespace {

int FieldIndex(const arrow::DataType& type, std::string_view name) {
  for (int k = 0; k < type.num_fields(); ++k) {
    const std::string& field = type.field(k)->name();
    const bool same = field.size() == name.size() && std::equal(field.begin(), field.end(), name.begin(), [](unsigned char a, unsigned char b) {
                        return std::tolower(a) == std::tolower(b);
                      });
    if (same) return k;
  }
  return -1;
}

arrow::Status FieldNotFound(const arrow::DataType& type, std::string_view field) {
  return base::InvalidArgument("[FIELD_NOT_FOUND] No such struct field ", field, " in ", TypeName(type));
}

}  // namespace

arrow::Result<ExprPtr> BindField(ExprPtr child, std::string_view field) {
  const TypePtr type = child->type();
  if (IsMap(*type)) return BindCall("[]", {child, StringLiteral(field)}, EvalContext{});
  const bool list = IsList(*type);
  const arrow::DataType& owner = list ? *ElementType(*type) : *type;
  if (owner.id() != arrow::Type::STRUCT) {
    return base::InvalidArgument("[INVALID_EXTRACT_BASE_FIELD_TYPE] Cannot take field ", field, " of ", TypeName(*type));
  }
  const int index = FieldIndex(owner, field);
  if (index < 0) return FieldNotFound(owner, field);
  const TypePtr field_type = owner.field(index)->type();
  const TypePtr result = list ? ListOf(field_type) : field_type;
  Kernel kernel = [list, index, result](const std::vector<arrow::Datum>& arguments, const Selection& rows,
                                        const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    const auto array = arrow::MakeArray(call.argument(0).data);
    const auto flattened = [&](const arrow::Array& structs) {
      return static_cast<const arrow::StructArray&>(structs).GetFlattenedField(index, context.pool);
    };
    if (!list) {
      ARROW_ASSIGN_OR_RAISE(const auto values, flattened(*array));
      return arrow::Datum(values);
    }
    ARROW_ASSIGN_OR_RAISE(const auto values, flattened(*static_cast<const arrow::ListArray&>(*array).values()));
    auto copy = array->data()->Copy();
    copy->type = result;
    copy->child_data = {values->data()};
    return arrow::Datum(std::move(copy));
  };
  return Expr::Call("." + owner.field(index)->name(), result, {std::move(child)}, kernel);
}

}  // namespace vecruntime::expr
