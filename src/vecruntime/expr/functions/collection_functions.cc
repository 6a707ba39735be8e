// SPDX-License-Identifier: Apache-2.0
// Functions of arrays and maps.
#include <arrow/array/concatenate.h>

#include <algorithm>
#include <limits>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/cast/value_text.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/collection.h"
#include "vecruntime/expr/functions/function_table.h"
#include "vecruntime/expr/functions/gather.h"
#include "vecruntime/expr/value_order.h"

namespace vecruntime::expr {

TypePtr ListOf(const TypePtr& element) { return arrow::list(arrow::field("element", element)); }

const TypePtr& ElementType(const arrow::DataType& list) { return list.field(0)->type(); }

arrow::Status CheckNoNewDecimal(const CallSite& site, const arrow::DataType& a, const arrow::DataType& b) {
  const bool null = a.id() == arrow::Type::NA || b.id() == arrow::Type::NA;
  if (null || SameType(a, b) || (!IsDecimal(a) && !IsDecimal(b))) return arrow::Status::OK();
  return base::InvalidArgument("[DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES] ", site.name, " needs elements of one type, not ", TypeName(a), " and ", TypeName(b));
}

bool IsList(const arrow::DataType& type) { return type.id() == arrow::Type::LIST; }
bool IsMap(const arrow::DataType& type) { return type.id() == arrow::Type::MAP; }

namespace {

using columnar::Selection;

TypePtr KeyType(const arrow::DataType& map) { return static_cast<const arrow::MapType&>(map).key_type(); }
TypePtr ItemType(const arrow::DataType& map) { return static_cast<const arrow::MapType&>(map).item_type(); }

// A NULL of unknown type stands for a NULL array.
ExprPtr AsList(const ExprPtr& argument) {
  return argument->type()->id() == arrow::Type::NA ? CastIfNeeded(argument, ListOf(arrow::null())) : argument;
}

// body(call, run): `run` has the live rows whose arguments are all non-NULL.
template <typename Body>
Kernel StrictKernel(Body body) {
  return [body](const std::vector<arrow::Datum>& arguments, const Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    Selection run = call.ValidRows();
    run.And(rows);
    return body(call, run);
  };
}

arrow::Result<ExprPtr> BindSize(const CallSite& site) {
  const ExprPtr collection = AsList(site[0]);
  if (!IsList(*collection->type()) && !IsMap(*collection->type())) return WrongType(site, 0, "array or map");
  return Expr::Call(site.name, arrow::int32(), {collection}, StrictKernel([](const KernelCall& call, const Selection&) -> arrow::Result<arrow::Datum> {
                      const ListInput lists(call.argument(0));
                      Selection valid = call.ValidRows();
                      Writer<int32_t> out(&valid, call.num_rows());
                      ARROW_RETURN_NOT_OK(out.Reserve(call.context().pool));
                      for (int64_t row = 0; row < call.num_rows(); ++row) {
                        out.Begin(row);
                        out.Set(static_cast<int32_t>(lists.length(row)));
                      }
                      return out.Finish(arrow::int32(), call.context().pool);
                    }));
}

// ----------------------------------------------------------------------------------------------------------- element access

enum class Access { kOrdinal, kElementAt, kTryElementAt, kGet };

// Index in the row's list, -1 for NULL; sets `status` for an ANSI error.
int64_t Locate(Access access, int64_t index, int64_t length, arrow::Status* status) {
  const bool one_based = access == Access::kElementAt || access == Access::kTryElementAt;
  if (one_based && index == 0) {
    *status = base::InvalidArgument("[INVALID_INDEX_OF_ZERO] The index 0 is invalid; elements count from 1 or -1");
    return -1;
  }
  const int64_t at = one_based ? (index > 0 ? index - 1 : length + index) : index;
  if (at >= 0 && at < length) return at;
  if (access == Access::kElementAt) {
    *status = base::InvalidArgument("[INVALID_ARRAY_INDEX_IN_ELEMENT_AT] The index is out of bounds; use `try_element_at` to get NULL instead: ", index, " of ", length);
  } else if (access == Access::kOrdinal) {
    *status = base::InvalidArgument("[INVALID_ARRAY_INDEX] The index is out of bounds; use `get` to get NULL instead: ", index, " of ", length);
  }
  return -1;
}

arrow::Result<ExprPtr> BindListAccess(const CallSite& site, Access access) {
  const bool fraction = access == Access::kGet && IsNumeric(site.type(1));  // get() takes one for its whole part
  if (!IsIntegral(site.type(1)) && !fraction && !IsString(site.type(1)) && site.type(1).id() != arrow::Type::NA) return WrongType(site, 1, "int");
  ARROW_ASSIGN_OR_RAISE(auto index, CoerceTo(site[1], arrow::int32()));
  const TypePtr type = ElementType(site.type(0));
  return Expr::Call(site.name, type, {site[0], index}, StrictKernel([access](const KernelCall& call, const Selection& run) -> arrow::Result<arrow::Datum> {
                      const ListInput lists(call.argument(0));
                      const Column<int32_t> indexes(call.argument(1));
                      std::vector<int64_t> positions(static_cast<size_t>(call.num_rows()), -1);
                      arrow::Status status;
                      run.ForEachLive([&](int64_t row) {
                        if (!status.ok()) return;
                        const int64_t at = Locate(access, indexes[row], lists.length(row), &status);
                        if (at >= 0) positions[static_cast<size_t>(row)] = lists.begin(row) + at;
                      });
                      ARROW_RETURN_NOT_OK(status);
                      ARROW_ASSIGN_OR_RAISE(const auto taken, TakeRows(lists.values(), positions, call.context().pool));
                      return arrow::Datum(taken);
                    }));
}

// Position of a key among a map row's entries, or -1.
int64_t FindKey(const ListInput& maps, int64_t row, const arrow::Array& keys, int64_t key) {
  for (int64_t k = maps.begin(row); k < maps.end(row); ++k) {
    if (CompareValues(maps.keys(), k, keys, key) == 0) return k;
  }
  return -1;
}

arrow::Result<ExprPtr> BindMapAccess(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto key, CoerceTo(site[1], KeyType(site.type(0))));
  return Expr::Call(site.name, ItemType(site.type(0)), {site[0], key}, StrictKernel([](const KernelCall& call, const Selection& run) -> arrow::Result<arrow::Datum> {
                      const ListInput maps(call.argument(0));
                      const auto keys = arrow::MakeArray(call.argument(1).data);
                      std::vector<int64_t> positions(static_cast<size_t>(call.num_rows()), -1);
                      run.ForEachLive([&](int64_t row) { positions[static_cast<size_t>(row)] = FindKey(maps, row, *keys, call.argument(1).RowOf(row)); });
                      ARROW_ASSIGN_OR_RAISE(const auto taken, TakeRows(maps.items(), positions, call.context().pool));
                      return arrow::Datum(taken);
                    }));
}

Binder ElementAccess(Access access) {
  return [access](const CallSite& site) -> arrow::Result<ExprPtr> {
    if (IsList(site.type(0))) return BindListAccess(site, access);
    if (IsMap(site.type(0)) && access != Access::kOrdinal && access != Access::kGet) ARROW_RETURN_NOT_OK(CheckNoNewDecimal(site, *KeyType(site.type(0)), site.type(1)));
    if (IsMap(site.type(0)) && access != Access::kGet) return BindMapAccess(site);
    std::string storage;
    if (site.type(0).id() == arrow::Type::STRUCT && access == Access::kOrdinal) {
      if (const std::string* field = ConstantText(site[1], &storage)) return BindField(site[0], *field);
    }
    return WrongType(site, 0, "array or map");
  };
}

// ------------------------------------------------------------------------------------------------------------------ searching

// The array and the value with a common element type.
arrow::Result<std::pair<ExprPtr, ExprPtr>> WithElement(const CallSite& site, bool allow_null = false) {
  const ExprPtr& list = site[0];
  if (!allow_null && site.type(1).id() == arrow::Type::NA) {
    return base::InvalidArgument("[DATATYPE_MISMATCH.NULL_TYPE] Null typed values cannot be used as arguments of ", site.name);
  }
  if (!IsList(*list->type())) return WrongType(site, 0, "array");
  if (site.name != "array_contains") ARROW_RETURN_NOT_OK(CheckNoNewDecimal(site, *ElementType(*list->type()), site.type(1)));
  const bool searches = site.name == "array_contains" || site.name == "array_position" || site.name == "array_remove";
  const bool text_beside_other = IsString(*ElementType(*list->type())) && !IsString(site.type(1)) && site.type(1).id() != arrow::Type::NA;
  if (searches && text_beside_other) {
    return base::InvalidArgument("[DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES] ", site.name, " needs an array and a value of its type, not string and ", TypeName(site.type(1)));
  }
  ARROW_ASSIGN_OR_RAISE(const TypePtr element, CommonType({ElementType(*list->type()), site[1]->type()}));
  if (!IsOrderable(*element)) return WrongType(site, 0, "array of orderable elements");
  return std::pair(CastIfNeeded(list, ListOf(element)), CastIfNeeded(site[1], element));
}

// Position of the value in the row's list, or -1.
int64_t FindElement(const ListInput& lists, int64_t row, const arrow::Array& values, int64_t value) {
  for (int64_t k = lists.begin(row); k < lists.end(row); ++k) {
    if (lists.values().IsValid(k) && CompareValues(lists.values(), k, values, value) == 0) return k;
  }
  return -1;
}

bool HasNull(const ListInput& lists, int64_t row) {
  for (int64_t k = lists.begin(row); k < lists.end(row); ++k) {
    if (lists.values().IsNull(k)) return true;
  }
  return false;
}

arrow::Result<ExprPtr> BindContains(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(const auto operands, WithElement(site));
  return Expr::Call(site.name, arrow::boolean(), {operands.first, operands.second},
                    StrictKernel([](const KernelCall& call, const Selection& run) -> arrow::Result<arrow::Datum> {
                      const ListInput lists(call.argument(0));
                      const auto values = arrow::MakeArray(call.argument(1).data);
                      Selection valid = call.ValidRows(), found = Selection::None(call.num_rows());
                      run.ForEachLive([&](int64_t row) {
                        if (FindElement(lists, row, *values, call.argument(1).RowOf(row)) >= 0) {
                          found.Revive(row);
                        } else if (HasNull(lists, row)) {
                          valid.Kill(row);
                        }
                      });
                      return BooleanResult(valid, found, call.context().pool);
                    }));
}

arrow::Result<ExprPtr> BindPosition(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(const auto operands, WithElement(site));
  return Expr::Call(site.name, arrow::int64(), {operands.first, operands.second},
                    StrictKernel([](const KernelCall& call, const Selection& run) -> arrow::Result<arrow::Datum> {
                      const ListInput lists(call.argument(0));
                      const auto values = arrow::MakeArray(call.argument(1).data);
                      Selection valid = call.ValidRows();
                      Writer<int64_t> out(&valid, call.num_rows());
                      ARROW_RETURN_NOT_OK(out.Reserve(call.context().pool));
                      run.ForEachLive([&](int64_t row) {
                        out.Begin(row);
                        const int64_t at = FindElement(lists, row, *values, call.argument(1).RowOf(row));
                        out.Set(at < 0 ? 0 : at - lists.begin(row) + 1);
                      });
                      return out.Finish(arrow::int64(), call.context().pool);
                    }));
}

arrow::Result<ExprPtr> BindContainsKey(const CallSite& site) {
  if (!IsMap(site.type(0))) return WrongType(site, 0, "map");
  if (site.type(1).id() == arrow::Type::NA) {
    return base::InvalidArgument("[DATATYPE_MISMATCH.NULL_TYPE] Null typed values cannot be used as arguments of ", site.name);
  }
  ARROW_ASSIGN_OR_RAISE(auto key, CoerceTo(site[1], KeyType(site.type(0))));
  return Expr::Call(site.name, arrow::boolean(), {site[0], key}, StrictKernel([](const KernelCall& call, const Selection& run) -> arrow::Result<arrow::Datum> {
                      const ListInput maps(call.argument(0));
                      const auto keys = arrow::MakeArray(call.argument(1).data);
                      Selection found = Selection::None(call.num_rows());
                      run.ForEachLive([&](int64_t row) {
                        if (FindKey(maps, row, *keys, call.argument(1).RowOf(row)) >= 0) found.Revive(row);
                      });
                      return BooleanResult(call.ValidRows(), found, call.context().pool);
                    }));
}

Binder Extreme(bool greatest) {
  return [greatest](const CallSite& site) -> arrow::Result<ExprPtr> {
    const ExprPtr list = AsList(site[0]);
    if (!IsList(*list->type()) || !IsOrderable(*list->type())) return WrongType(site, 0, "array of orderable elements");
    return Expr::Call(site.name, ElementType(*list->type()), {list}, StrictKernel([greatest](const KernelCall& call, const Selection& run) -> arrow::Result<arrow::Datum> {
                        const ListInput lists(call.argument(0));
                        std::vector<int64_t> positions(static_cast<size_t>(call.num_rows()), -1);
                        run.ForEachLive([&](int64_t row) {
                          int64_t& best = positions[static_cast<size_t>(row)];
                          for (int64_t k = lists.begin(row); k < lists.end(row); ++k) {
                            if (lists.values().IsNull(k)) continue;
                            const int order = best < 0 ? 0 : CompareValues(lists.values(), k, lists.values(), best);
                            if (best < 0 || (greatest ? order > 0 : order < 0)) best = k;
                          }
                        });
                        ARROW_ASSIGN_OR_RAISE(const auto taken, TakeRows(lists.values(), positions, call.context().pool));
                        return arrow::Datum(taken);
                      }));
  };
}

// ------------------------------------------------------------------------------------------------------------- list to list

// pick(lists, row, gather): adds the positions of the row's result; all arguments have the given types.
template <typename Pick>
Kernel PickKernel(TypePtr type, Pick pick) {
  return StrictKernel([type, pick](const KernelCall& call, const Selection& run) -> arrow::Result<arrow::Datum> {
    const ListInput lists(call.argument(0));
    ListGather gather(call.num_rows());
    Selection valid = call.ValidRows();
    RowOutcome outcome(&valid);
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      if (run.IsLive(row)) pick(call, lists, row, &gather, &outcome);
      if (outcome.failed()) return outcome.status();
      gather.EndRow();
    }
    return gather.FinishList(type, lists.values(), valid, call.context().pool);
  });
}

template <typename Pick>
arrow::Result<ExprPtr> PickCall(const CallSite& site, std::vector<ExprPtr> arguments, Pick pick) {
  arguments[0] = AsList(arguments[0]);
  if (!IsList(*arguments[0]->type())) return WrongType(site, 0, "array");
  const TypePtr type = ListOf(ElementType(*arguments[0]->type()));
  return Expr::Call(site.name, type, std::move(arguments), PickKernel(type, pick));
}

// Three-way comparison of positions of one array, NULL first.
int CompareNullFirst(const arrow::Array& values, int64_t a, int64_t b) {
  const bool a_null = values.IsNull(a), b_null = values.IsNull(b);
  if (a_null || b_null) return static_cast<int>(b_null) - static_cast<int>(a_null);
  return CompareValues(values, a, values, b);
}

arrow::Result<ExprPtr> BindSort(const CallSite& site, bool nulls_last) {
  ARROW_ASSIGN_OR_RAISE(auto ascending, site.size() > 1 ? CoerceTo(site[1], arrow::boolean()) : arrow::Result<ExprPtr>(BooleanLiteral(true)));
  if (IsList(site.type(0)) && !IsOrderable(site.type(0))) return WrongType(site, 0, "array of orderable elements");
  return PickCall(site, {site[0], ascending}, [nulls_last](const KernelCall& call, const ListInput& lists, int64_t row, ListGather* gather, RowOutcome*) {
    std::vector<int64_t> order;
    for (int64_t k = lists.begin(row); k < lists.end(row); ++k) order.push_back(k);
    const bool up = Column<bool>(call.argument(1))[row];
    const arrow::Array& values = lists.values();
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      if (nulls_last && values.IsNull(a) != values.IsNull(b)) return values.IsNull(b);
      const int compared = CompareNullFirst(values, a, b);
      return up ? compared < 0 : compared > 0;
    });
    for (const int64_t position : order) gather->Add(position);
  });
}

void Slice(const KernelCall& call, const ListInput& lists, int64_t row, ListGather* gather, RowOutcome* outcome) {
  const int64_t start = Column<int32_t>(call.argument(1))[row], length = Column<int32_t>(call.argument(2))[row];
  if (start == 0) return outcome->Fail(base::InvalidArgument("[INVALID_PARAMETER_VALUE.START] The start of slice counts from 1 or -1"));
  if (length < 0) return outcome->Fail(base::InvalidArgument("[INVALID_PARAMETER_VALUE.LENGTH] The length of slice must not be negative: ", length));
  const int64_t count = lists.length(row);
  const int64_t from = start > 0 ? start - 1 : count + start;
  if (from < 0) return;
  for (int64_t k = from; k < std::min(count, from + length); ++k) gather->Add(lists.begin(row) + k);
}

bool SameElement(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j) {
  if (a.IsNull(i) || b.IsNull(j)) return a.IsNull(i) && b.IsNull(j);
  return CompareValues(a, i, b, j) == 0;
}

void Distinct(const KernelCall&, const ListInput& lists, int64_t row, ListGather* gather, RowOutcome*) {
  std::vector<int64_t> kept;
  for (int64_t k = lists.begin(row); k < lists.end(row); ++k) {
    const bool seen = std::any_of(kept.begin(), kept.end(), [&](int64_t other) { return SameElement(lists.values(), k, lists.values(), other); });
    if (!seen) kept.push_back(k);
  }
  for (const int64_t position : kept) gather->Add(position);
}

void Compact(const KernelCall&, const ListInput& lists, int64_t row, ListGather* gather, RowOutcome*) {
  for (int64_t k = lists.begin(row); k < lists.end(row); ++k) {
    if (lists.values().IsValid(k)) gather->Add(k);
  }
}

void ReverseList(const KernelCall&, const ListInput& lists, int64_t row, ListGather* gather, RowOutcome*) {
  for (int64_t k = lists.end(row); k > lists.begin(row); --k) gather->Add(k - 1);
}

arrow::Result<ExprPtr> BindReverse(const CallSite& site) {
  if (IsList(site.type(0))) return PickCall(site, site.arguments, ReverseList);
  return BindCall("reverse_string", site.arguments, *site.context);
}

arrow::Result<ExprPtr> BindRemove(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(const auto operands, WithElement(site, true));
  return PickCall(site, {operands.first, operands.second}, [](const KernelCall& call, const ListInput& lists, int64_t row, ListGather* gather, RowOutcome*) {
    const auto removed = arrow::MakeArray(call.argument(1).data);
    for (int64_t k = lists.begin(row); k < lists.end(row); ++k) {
      if (lists.values().IsNull(k) || CompareValues(lists.values(), k, *removed, call.argument(1).RowOf(row)) != 0) gather->Add(k);
    }
  });
}

arrow::Result<ExprPtr> BindSlice(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto start, CoerceTo(site[1], arrow::int32()));
  ARROW_ASSIGN_OR_RAISE(auto length, CoerceTo(site[2], arrow::int32()));
  return PickCall(site, {site[0], start, length}, Slice);
}

arrow::Result<ExprPtr> BindFlatten(const CallSite& site) {
  if (!IsList(site.type(0)) || !IsList(*ElementType(site.type(0)))) return WrongType(site, 0, "array of arrays");
  const TypePtr type = ListOf(ElementType(*ElementType(site.type(0))));
  return Expr::Call(site.name, type, {site[0]}, StrictKernel([type](const KernelCall& call, const Selection& run) -> arrow::Result<arrow::Datum> {
                      const ListInput outer(call.argument(0));
                      const auto& inner = static_cast<const arrow::ListArray&>(outer.values());
                      ListGather gather(call.num_rows());
                      Selection valid = call.ValidRows();
                      for (int64_t row = 0; row < call.num_rows(); ++row) {
                        bool has_null = false;
                        for (int64_t k = outer.begin(row); run.IsLive(row) && k < outer.end(row); ++k) has_null |= inner.IsNull(k);
                        if (has_null) valid.Kill(row);
                        for (int64_t k = outer.begin(row); run.IsLive(row) && !has_null && k < outer.end(row); ++k) {
                          for (int64_t e = inner.value_offset(k); e < inner.value_offset(k + 1); ++e) gather.Add(e);
                        }
                        gather.EndRow();
                      }
                      return gather.FinishList(type, *inner.values(), valid, call.context().pool);
                    }));
}

// --------------------------------------------------------------------------------------------------- several lists at once

// All lists of a call laid end to end, so that positions can name elements of any of them.
class JoinedLists {
 public:
  static arrow::Result<JoinedLists> Make(const KernelCall& call) {
    JoinedLists joined;
    arrow::ArrayVector values;
    for (const Argument& argument : call.arguments()) {
      joined.inputs_.emplace_back(argument);
      joined.bases_.push_back(joined.total_);
      values.push_back(joined.inputs_.back().values_ptr());
      joined.total_ += values.back()->length();
    }
    ARROW_ASSIGN_OR_RAISE(joined.values_, arrow::Concatenate(values, call.context().pool));
    return joined;
  }
  int64_t begin(size_t k, int64_t row) const { return bases_[k] + inputs_[k].begin(row); }
  int64_t end(size_t k, int64_t row) const { return bases_[k] + inputs_[k].end(row); }
  size_t count() const { return inputs_.size(); }
  const arrow::Array& values() const { return *values_; }
  bool Contains(size_t k, int64_t row, int64_t position) const {
    for (int64_t at = begin(k, row); at < end(k, row); ++at) {
      if (SameElement(*values_, at, *values_, position)) return true;
    }
    return false;
  }

 private:
  std::vector<ListInput> inputs_;
  std::vector<int64_t> bases_;
  int64_t total_ = 0;
  std::shared_ptr<arrow::Array> values_;
};

enum class SetOp { kConcat, kUnion, kIntersect, kExcept };

void Combine(const JoinedLists& lists, int64_t row, SetOp op, ListGather* gather) {
  std::vector<int64_t> kept;
  const size_t sources = op == SetOp::kConcat || op == SetOp::kUnion ? lists.count() : 1;
  for (size_t k = 0; k < sources; ++k) {
    for (int64_t at = lists.begin(k, row); at < lists.end(k, row); ++at) {
      if (op == SetOp::kIntersect && !lists.Contains(1, row, at)) continue;
      if (op == SetOp::kExcept && lists.Contains(1, row, at)) continue;
      const auto same = [&](int64_t other) { return SameElement(lists.values(), at, lists.values(), other); };
      if (op != SetOp::kConcat && std::any_of(kept.begin(), kept.end(), same)) continue;
      kept.push_back(at);
    }
  }
  for (const int64_t position : kept) gather->Add(position);
}

Binder Combination(SetOp op) {
  return [op](const CallSite& site) -> arrow::Result<ExprPtr> {
    const bool lists = IsList(site.type(0)) && IsList(site.type(site.size() - 1));
    if (op != SetOp::kConcat && lists) ARROW_RETURN_NOT_OK(CheckNoNewDecimal(site, *ElementType(site.type(0)), *ElementType(site.type(1))));
    ARROW_ASSIGN_OR_RAISE(auto arguments, UnifyArguments(site));
    const TypePtr common = arguments[0]->type();
    if (!IsList(*common)) return WrongType(site, 0, "array");
    const TypePtr type = ListOf(ElementType(*common));
    return Expr::Call(site.name, type, arguments, StrictKernel([op, type](const KernelCall& call, const Selection& run) -> arrow::Result<arrow::Datum> {
                        ARROW_ASSIGN_OR_RAISE(const JoinedLists lists, JoinedLists::Make(call));
                        ListGather gather(call.num_rows());
                        for (int64_t row = 0; row < call.num_rows(); ++row) {
                          if (run.IsLive(row)) Combine(lists, row, op, &gather);
                          gather.EndRow();
                        }
                        return gather.FinishList(type, lists.values(), call.ValidRows(), call.context().pool);
                      }));
  };
}

arrow::Result<ExprPtr> BindOverlap(const CallSite& site) {
  if (IsList(site.type(0)) && IsList(site.type(1))) ARROW_RETURN_NOT_OK(CheckNoNewDecimal(site, *ElementType(site.type(0)), *ElementType(site.type(1))));
  ARROW_ASSIGN_OR_RAISE(auto arguments, UnifyArguments(site));
  if (!IsList(*arguments[0]->type())) return WrongType(site, 0, "array");
  return Expr::Call(site.name, arrow::boolean(), arguments, StrictKernel([](const KernelCall& call, const Selection& run) -> arrow::Result<arrow::Datum> {
                      ARROW_ASSIGN_OR_RAISE(const JoinedLists lists, JoinedLists::Make(call));
                      const ListInput left(call.argument(0)), right(call.argument(1));
                      Selection valid = call.ValidRows(), found = Selection::None(call.num_rows());
                      run.ForEachLive([&](int64_t row) {
                        for (int64_t at = lists.begin(0, row); at < lists.end(0, row); ++at) {
                          if (lists.values().IsValid(at) && lists.Contains(1, row, at)) return found.Revive(row);
                        }
                        const bool both = left.length(row) > 0 && right.length(row) > 0;
                        if (both && (HasNull(left, row) || HasNull(right, row))) valid.Kill(row);
                      });
                      return BooleanResult(valid, found, call.context().pool);
                    }));
}

// array_append and array_prepend: the element as a list of one beside the list.
Binder Extend(bool front) {
  return [front](const CallSite& site) -> arrow::Result<ExprPtr> {
    ARROW_ASSIGN_OR_RAISE(const auto operands, WithElement(site, true));
    ARROW_ASSIGN_OR_RAISE(const ExprPtr one, BindCall("array", {operands.second}, *site.context));
    return BindCall("concat_arrays", front ? std::vector<ExprPtr>{one, operands.first} : std::vector<ExprPtr>{operands.first, one}, *site.context);
  };
}

arrow::Result<ExprPtr> BindJoin(const CallSite& site) {
  const TypePtr strings = ListOf(arrow::utf8());
  ARROW_ASSIGN_OR_RAISE(auto list, CoerceTo(AsList(site[0]), strings));
  std::vector<ExprPtr> arguments = {list};
  for (size_t k = 1; k < site.size(); ++k) {
    ARROW_ASSIGN_OR_RAISE(auto text, CoerceTo(site[k], arrow::utf8()));
    arguments.push_back(std::move(text));
  }
  const bool replaces = site.size() > 2;
  return Expr::Call(site.name, arrow::utf8(), arguments, StrictKernel([replaces](const KernelCall& call, const Selection& run) -> arrow::Result<arrow::Datum> {
                      const ListInput lists(call.argument(0));
                      const auto& strings = static_cast<const arrow::StringArray&>(lists.values());
                      const Column<std::string_view> separators(call.argument(1)), replacements(call.argument(replaces ? 2 : 1));
                      Selection valid = call.ValidRows();
                      Writer<std::string_view> out(&valid, call.num_rows());
                      ARROW_RETURN_NOT_OK(out.Reserve(call.context().pool));
                      for (int64_t row = 0; row < call.num_rows(); ++row) {
                        out.Begin(row);
                        bool first = true;
                        for (int64_t k = lists.begin(row); run.IsLive(row) && k < lists.end(row); ++k) {
                          if (strings.IsNull(k) && !replaces) continue;
                          if (!first) out.Append(separators[row]);
                          first = false;
                          out.Append(strings.IsNull(k) ? replacements[row] : strings.GetView(k));
                        }
                        out.End();
                      }
                      if (out.failed()) return out.status();
                      return out.Finish(arrow::utf8(), call.context().pool);
                    }));
}

arrow::Result<ExprPtr> BindRepeat(const CallSite& site) {
  if (IsNumeric(site.type(1)) && !IsIntegral(site.type(1))) return WrongType(site, 1, "int");
  ARROW_ASSIGN_OR_RAISE(auto count, CoerceTo(site[1], arrow::int32()));
  const TypePtr type = ListOf(site[0]->type());
  Kernel kernel = [type](const std::vector<arrow::Datum>& arguments, const Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    const auto values = arrow::MakeArray(call.argument(0).data);
    const Column<int32_t> counts(call.argument(1));
    Selection valid = call.ValidRows(1);
    ListGather gather(call.num_rows());
    int64_t total = 0;
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      if (valid.IsLive(row) && rows.IsLive(row)) {
        total += std::max(counts[row], 0);
        if (total > std::numeric_limits<int32_t>::max() / 16) return StringsTooLong();
        for (int32_t k = 0; k < counts[row]; ++k) gather.Add(call.argument(0).RowOf(row));
      }
      gather.EndRow();
    }
    return gather.FinishList(type, *values, valid, context.pool);
  };
  return Expr::Call(site.name, type, {site[0], count}, kernel);
}

// ---------------------------------------------------------------------------------------------------------------------- maps

// The entries of all maps, in order; a key may come once.
arrow::Result<ExprPtr> BindMapConcat(const CallSite& site) {
  ARROW_ASSIGN_OR_RAISE(auto arguments, UnifyArguments(site));
  const TypePtr type = arguments[0]->type();
  if (!IsMap(*type)) return WrongType(site, 0, "map");
  return Expr::Call(site.name, type, arguments, StrictKernel([type](const KernelCall& call, const Selection& run) -> arrow::Result<arrow::Datum> {
                      ARROW_ASSIGN_OR_RAISE(const JoinedLists maps, JoinedLists::Make(call));
                      const auto& keys = *static_cast<const arrow::StructArray&>(maps.values()).field(0);
                      ListGather gather(call.num_rows());
                      for (int64_t row = 0; row < call.num_rows(); ++row) {
                        std::vector<int64_t> seen;
                        for (size_t k = 0; k < maps.count() && run.IsLive(row); ++k) {
                          for (int64_t at = maps.begin(k, row); at < maps.end(k, row); ++at) {
                            for (const int64_t other : seen) {
                              if (CompareValues(keys, at, keys, other) == 0) return base::InvalidArgument("[DUPLICATED_MAP_KEY] Duplicate map key was found");
                            }
                            seen.push_back(at);
                            gather.Add(at);
                          }
                        }
                        gather.EndRow();
                      }
                      return gather.FinishList(type, maps.values(), call.ValidRows(), call.context().pool);
                    }));
}

enum class MapPart { kKeys, kValues, kEntries };

Binder PartOfMap(MapPart part) {
  return [part](const CallSite& site) -> arrow::Result<ExprPtr> {
    if (!IsMap(site.type(0))) return WrongType(site, 0, "map");
    const TypePtr key = KeyType(site.type(0)), item = ItemType(site.type(0));
    const TypePtr element = part == MapPart::kKeys     ? key
                            : part == MapPart::kValues ? item
                                                       : arrow::struct_({arrow::field("key", key, false), arrow::field("value", item)});
    const TypePtr type = ListOf(element);
    return Expr::Call(site.name, type, {site[0]}, StrictKernel([part, type](const KernelCall& call, const Selection&) -> arrow::Result<arrow::Datum> {
                        const auto& data = *call.argument(0).data;
                        const auto array = arrow::MakeArray(call.argument(0).data);
                        const auto& map = static_cast<const arrow::MapArray&>(*array);
                        auto copy = data.Copy();
                        copy->type = type;
                        if (part == MapPart::kEntries) {
                          auto entries = map.keys()->data();
                          copy->child_data = {arrow::ArrayData::Make(ElementType(*type), map.keys()->length(), {nullptr}, {entries, map.items()->data()}, 0)};
                        } else {
                          copy->child_data = {(part == MapPart::kKeys ? map.keys() : map.items())->data()};
                        }
                        return arrow::Datum(std::move(copy));
                      }));
  };
}

}  // namespace

void AddCollectionFunctions(FunctionTable* table) {
  table->Add({"size", "cardinality", "array_size"}, 1, 1, BindSize);
  table->Add({"[]"}, 2, 2, ElementAccess(Access::kOrdinal));
  table->Add({"element_at"}, 2, 2, ElementAccess(Access::kElementAt));
  table->Add({"try_element_at"}, 2, 2, ElementAccess(Access::kTryElementAt));
  table->Add({"get"}, 2, 2, ElementAccess(Access::kGet));
  table->Add({"array_contains"}, 2, 2, BindContains);
  table->Add({"array_position"}, 2, 2, BindPosition);
  table->Add({"map_contains_key"}, 2, 2, BindContainsKey);
  table->Add({"array_min"}, 1, 1, Extreme(false));
  table->Add({"array_max"}, 1, 1, Extreme(true));
  table->Add({"sort_array"}, 1, 2, [](const CallSite& site) { return BindSort(site, false); });
  table->Add({"array_sort"}, 1, 1, [](const CallSite& site) { return BindSort(site, true); });
  table->Add({"array_distinct"}, 1, 1, [](const CallSite& site) { return PickCall(site, site.arguments, Distinct); });
  table->Add({"array_compact"}, 1, 1, [](const CallSite& site) { return PickCall(site, site.arguments, Compact); });
  table->Add({"reverse"}, 1, 1, BindReverse);
  table->Add({"array_remove"}, 2, 2, BindRemove);
  table->Add({"slice"}, 3, 3, BindSlice);
  table->Add({"flatten"}, 1, 1, BindFlatten);
  table->Add({"concat_arrays"}, 1, -1, Combination(SetOp::kConcat));
  table->Add({"array_union"}, 2, 2, Combination(SetOp::kUnion));
  table->Add({"array_intersect"}, 2, 2, Combination(SetOp::kIntersect));
  table->Add({"array_except"}, 2, 2, Combination(SetOp::kExcept));
  table->Add({"arrays_overlap"}, 2, 2, BindOverlap);
  table->Add({"array_append"}, 2, 2, Extend(false));
  table->Add({"array_prepend"}, 2, 2, Extend(true));
  table->Add({"array_join"}, 2, 3, BindJoin);
  table->Add({"array_repeat"}, 2, 2, BindRepeat);
  table->Add({"map_keys"}, 1, 1, PartOfMap(MapPart::kKeys));
  table->Add({"map_values"}, 1, 1, PartOfMap(MapPart::kValues));
  table->Add({"map_entries"}, 1, 1, PartOfMap(MapPart::kEntries));
  table->Add({"map_concat"}, 1, -1, BindMapConcat);
  AddCollectionBuilders(table);
  AddConstructors(table);
}

}  // namespace vecruntime::expr
