// SPDX-License-Identifier: Apache-2.0
// A lambda runs over columns of elements: transform lays the elements of all rows end to end and runs its body once. Where an element
// decides whether the next is looked at (exists, forall) or what it meets (aggregate), the body runs once per place in the arrays, over
// the rows that have one there.
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/util/byte_size.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <string>

#include "vecruntime/base/error.h"
#include "vecruntime/expr/evaluator.h"
#include "vecruntime/expr/function_registry.h"
#include "vecruntime/expr/functions/collection.h"
#include "vecruntime/expr/functions/gather.h"
#include "vecruntime/expr/higher_order.h"
#include "vecruntime/expr/value_order.h"

namespace vecruntime::expr {
namespace {

using columnar::Selection;
using ArrayPtr = std::shared_ptr<arrow::Array>;
using Positions = std::vector<int64_t>;

// A call being bound. Captures of all lambdas follow the plain arguments in the call.
struct LambdaSite {
  std::string name;
  std::vector<ExprPtr> arguments;
  std::vector<UnboundLambda> lambdas;
  const EvalContext* context = nullptr;
};

constexpr int64_t kMostBytes = std::numeric_limits<int32_t>::max();

// What one value takes of its column, about.
int64_t BytesOf(const arrow::Scalar& value) {
  if (!value.is_valid) return 8;
  if (value.type->id() == arrow::Type::LIST || value.type->id() == arrow::Type::MAP) {
    return 8 + arrow::util::TotalBufferSize(*static_cast<const arrow::BaseListScalar&>(value).value);
  }
  if (value.type->id() == arrow::Type::STRING || value.type->id() == arrow::Type::BINARY) return 8 + static_cast<const arrow::BaseBinaryScalar&>(value).value->size();
  int64_t bytes = 16;
  if (value.type->id() == arrow::Type::STRUCT) {
    for (const auto& field : static_cast<const arrow::StructScalar&>(value).value) bytes += BytesOf(*field);
  }
  return bytes;
}

// A lambda in a kernel.
class Body {
 public:
  // Binds lambda `which` for parameters of `types`; its captures go to the end of `arguments`.
  static arrow::Result<Body> Bind(const LambdaSite& site, size_t which, const std::vector<TypePtr>& types, std::vector<ExprPtr>* arguments) {
    ARROW_ASSIGN_OR_RAISE(const Lambda lambda, site.lambdas[which].bind(types));
    Body body;
    body.expression_ = FoldConstants(lambda.body, *site.context);
    body.first_capture_ = arguments->size();
    body.captures_ = lambda.captures.size();
    arguments->insert(arguments->end(), lambda.captures.begin(), lambda.captures.end());
    return body;
  }

  const TypePtr& type() const { return expression_->type(); }

  // The body's values where element k has parameters[.][k] and belongs to row rows[k] of the call.
  arrow::Result<ArrayPtr> Run(const KernelCall& call, std::vector<ArrayPtr> parameters, const Positions& rows) const {
    const auto count = static_cast<int64_t>(rows.size());
    if (count == 0) return arrow::MakeArrayOfNull(type(), 0, call.context().pool);
    for (size_t k = 0; k < captures_; ++k) {
      const Argument& argument = call.argument(first_capture_ + k);
      Positions at(rows.size());
      std::transform(rows.begin(), rows.end(), at.begin(), [&](int64_t row) { return argument.RowOf(row); });
      ARROW_ASSIGN_OR_RAISE(auto column, TakeRows(*arrow::MakeArray(argument.data), at, call.context().pool));
      parameters.push_back(std::move(column));
    }
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum values, Evaluate(*expression_, parameters, Selection::All(count), call.context()));
    if (values.is_array()) return values.make_array();
    if (BytesOf(*values.scalar()) > kMostBytes / count) return base::ResourceExhausted("The values of a lambda are too many and too large");
    return arrow::MakeArrayFromScalar(*values.scalar(), count, call.context().pool);
  }

 private:
  ExprPtr expression_;
  size_t first_capture_ = 0;
  size_t captures_ = 0;
};

ArrayPtr Int32Column(std::vector<int32_t> values) {
  const auto count = static_cast<int64_t>(values.size());
  return arrow::MakeArray(arrow::ArrayData::Make(arrow::int32(), count, {nullptr, arrow::Buffer::FromVector(std::move(values))}, 0));
}

bool IsTrue(const arrow::Array& values, int64_t at) { return values.IsValid(at) && static_cast<const arrow::BooleanArray&>(values).Value(at); }

arrow::Status Mismatch(const LambdaSite& site, std::string_view expected, const arrow::DataType& type) {
  return base::InvalidArgument("[DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE] ", site.name, " needs ", expected, " but has ", TypeName(type));
}

arrow::Status CheckParameters(const LambdaSite& site, size_t which, size_t least, size_t most) {
  const size_t count = site.lambdas[which].parameters;
  if (count >= least && count <= most) return arrow::Status::OK();
  return base::InvalidArgument("[INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH] A lambda of ", site.name, " takes ", most, " parameters, not ", count);
}

arrow::Result<ExprPtr> AsCollection(const LambdaSite& site, size_t argument, bool map) {
  const ExprPtr& written = site.arguments[argument];
  if (map ? IsMap(*written->type()) : IsList(*written->type())) return written;
  return Mismatch(site, map ? "a map" : "an array", *written->type());
}

arrow::Result<Body> BindPredicateBody(const LambdaSite& site, const std::vector<TypePtr>& types, std::vector<ExprPtr>* arguments) {
  ARROW_ASSIGN_OR_RAISE(Body body, Body::Bind(site, 0, types, arguments));
  if (body.type()->id() != arrow::Type::BOOL && body.type()->id() != arrow::Type::NA) return Mismatch(site, "a boolean from its lambda", *body.type());
  return body;
}

// The rows of a call whose first `strict` arguments are not NULL.
Selection RunRowsOf(const KernelCall& call, size_t strict, Selection* valid) {
  *valid = Selection::All(call.num_rows());
  for (size_t k = 0; k < strict; ++k) valid->And(call.ValidRows(k));
  Selection run = *valid;
  run.And(call.rows());
  return run;
}

// body(call, run, valid) of a kernel that is NULL where one of its first `strict` arguments is.
template <typename Each>
Kernel LambdaKernel(size_t strict, Each each) {
  return [strict, each](const std::vector<arrow::Datum>& arguments, const Selection& rows, const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    Selection valid = Selection::None(0);
    const Selection run = RunRowsOf(call, strict, &valid);
    return each(call, run, std::move(valid));
  };
}

// The elements of all rows end to end.
struct Elements {
  Positions rows;       // the row of each
  Positions positions;  // its place in the array's values
  std::vector<int32_t> places;  // its place in its row
  ListGather lists;

  Elements(const KernelCall& call, const ListInput& input, const Selection& run) : lists(call.num_rows()) {
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      for (int64_t k = input.begin(row); run.IsLive(row) && k < input.end(row); ++k) {
        places.push_back(static_cast<int32_t>(k - input.begin(row)));
        rows.push_back(row);
        positions.push_back(k);
        lists.Add(k);
      }
      lists.EndRow();
    }
  }
};

// The parameters (element[, place]) of transform and filter.
arrow::Result<std::vector<ArrayPtr>> ElementParameters(const KernelCall& call, const ListInput& input, const Elements& elements, size_t count) {
  ARROW_ASSIGN_OR_RAISE(auto values, TakeRows(input.values(), elements.positions, call.context().pool));
  std::vector<ArrayPtr> parameters{std::move(values)};
  if (count > 1) parameters.push_back(Int32Column(elements.places));
  return parameters;
}

std::vector<TypePtr> ElementTypes(const TypePtr& element, size_t count) {
  return count > 1 ? std::vector<TypePtr>{element, arrow::int32()} : std::vector<TypePtr>{element};
}

arrow::Result<ExprPtr> BindTransform(const LambdaSite& site) {
  ARROW_RETURN_NOT_OK(CheckParameters(site, 0, 1, 2));
  ARROW_ASSIGN_OR_RAISE(const ExprPtr list, AsCollection(site, 0, false));
  std::vector<ExprPtr> arguments{list};
  const size_t count = site.lambdas[0].parameters;
  ARROW_ASSIGN_OR_RAISE(const Body body, Body::Bind(site, 0, ElementTypes(ElementType(*list->type()), count), &arguments));
  const TypePtr type = ListOf(body.type());
  return Expr::Call(site.name, type, arguments, LambdaKernel(1, [=](const KernelCall& call, const Selection& run, const Selection& valid) -> arrow::Result<arrow::Datum> {
                      const ListInput input(call.argument(0));
                      const Elements elements(call, input, run);
                      ARROW_ASSIGN_OR_RAISE(auto parameters, ElementParameters(call, input, elements, count));
                      ARROW_ASSIGN_OR_RAISE(const auto values, body.Run(call, std::move(parameters), elements.rows));
                      return elements.lists.FinishAround(type, values->data(), valid, call.context().pool);
                    }));
}

// filter and map_filter: the elements for which the lambda is true.
arrow::Result<arrow::Datum> KeepTrue(const KernelCall& call, const TypePtr& type, const ListInput& input, const Elements& elements, const arrow::Array& keep,
                                     const Selection& valid) {
  ListGather kept(call.num_rows());
  size_t k = 0;
  for (int64_t row = 0; row < call.num_rows(); ++row) {
    for (; k < elements.rows.size() && elements.rows[k] == row; ++k) {
      if (IsTrue(keep, static_cast<int64_t>(k))) kept.Add(elements.positions[k]);
    }
    kept.EndRow();
  }
  return kept.FinishList(type, input.values(), valid, call.context().pool);
}

arrow::Result<ExprPtr> BindFilter(const LambdaSite& site) {
  ARROW_RETURN_NOT_OK(CheckParameters(site, 0, 1, 2));
  ARROW_ASSIGN_OR_RAISE(const ExprPtr list, AsCollection(site, 0, false));
  std::vector<ExprPtr> arguments{list};
  const size_t count = site.lambdas[0].parameters;
  ARROW_ASSIGN_OR_RAISE(const Body body, BindPredicateBody(site, ElementTypes(ElementType(*list->type()), count), &arguments));
  const TypePtr type = ListOf(ElementType(*list->type()));
  return Expr::Call(site.name, type, arguments, LambdaKernel(1, [=](const KernelCall& call, const Selection& run, const Selection& valid) -> arrow::Result<arrow::Datum> {
                      const ListInput input(call.argument(0));
                      const Elements elements(call, input, run);
                      ARROW_ASSIGN_OR_RAISE(auto parameters, ElementParameters(call, input, elements, count));
                      ARROW_ASSIGN_OR_RAISE(const auto keep, body.Run(call, std::move(parameters), elements.rows));
                      return KeepTrue(call, type, input, elements, *keep, valid);
                    }));
}

// exists (`decides` is true) and forall (false): an element that decides ends the search, else a NULL makes the result NULL.
arrow::Result<ExprPtr> BindQuantifier(const LambdaSite& site, bool decides) {
  ARROW_RETURN_NOT_OK(CheckParameters(site, 0, 1, 1));
  ARROW_ASSIGN_OR_RAISE(const ExprPtr list, AsCollection(site, 0, false));
  std::vector<ExprPtr> arguments{list};
  ARROW_ASSIGN_OR_RAISE(const Body body, BindPredicateBody(site, {ElementType(*list->type())}, &arguments));
  return Expr::Call(site.name, arrow::boolean(), arguments, LambdaKernel(1, [=](const KernelCall& call, const Selection& run, Selection valid) -> arrow::Result<arrow::Datum> {
                      const ListInput input(call.argument(0));
                      Selection result = decides ? Selection::None(call.num_rows()) : Selection::All(call.num_rows());
                      Positions open;
                      run.ForEachLive([&](int64_t row) { open.push_back(row); });
                      for (int64_t place = 0; !open.empty(); ++place) {
                        std::erase_if(open, [&](int64_t row) { return input.length(row) <= place; });
                        Positions positions(open.size());
                        std::transform(open.begin(), open.end(), positions.begin(), [&](int64_t row) { return input.begin(row) + place; });
                        ARROW_ASSIGN_OR_RAISE(auto values, TakeRows(input.values(), positions, call.context().pool));
                        ARROW_ASSIGN_OR_RAISE(const auto answers, body.Run(call, {std::move(values)}, open));
                        Positions still_open;
                        for (size_t k = 0; k < open.size(); ++k) {
                          const auto at = static_cast<int64_t>(k);
                          if (answers->IsValid(at) && IsTrue(*answers, at) == decides) {
                            decides ? result.Revive(open[k]) : result.Kill(open[k]);
                            valid.Revive(open[k]);
                            continue;
                          }
                          if (answers->IsNull(at)) valid.Kill(open[k]);
                          still_open.push_back(open[k]);
                        }
                        open = std::move(still_open);
                      }
                      return BooleanResult(valid, result, call.context().pool);
                    }));
}

// The accumulators of aggregate while it goes through the places: those of rows that are at their end are put aside.
class Accumulators {
 public:
  Accumulators(ArrayPtr values, Positions rows) : values_(std::move(values)), rows_(std::move(rows)) {}

  const ArrayPtr& values() const { return values_; }
  const Positions& rows() const { return rows_; }
  void Replace(ArrayPtr values) { values_ = std::move(values); }

  template <typename AtEnd>
  arrow::Status PutAside(AtEnd at_end, arrow::MemoryPool* pool) {
    Positions done, going, going_rows;
    for (size_t k = 0; k < rows_.size(); ++k) {
      const bool end = at_end(rows_[k]);
      (end ? done : going).push_back(static_cast<int64_t>(k));
      (end ? done_rows_ : going_rows).push_back(rows_[k]);
    }
    if (done.empty()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto finished, TakeRows(*values_, done, pool));
    done_.push_back(std::move(finished));
    ARROW_ASSIGN_OR_RAISE(values_, TakeRows(*values_, going, pool));
    rows_ = std::move(going_rows);
    return arrow::Status::OK();
  }

  // All that was put aside, in the order of done_rows().
  arrow::Result<ArrayPtr> Done(arrow::MemoryPool* pool) const {
    return done_.empty() ? arrow::MakeArrayOfNull(values_->type(), 0, pool) : arrow::Concatenate(done_, pool);
  }
  const Positions& done_rows() const { return done_rows_; }

 private:
  ArrayPtr values_;
  Positions rows_;
  arrow::ArrayVector done_;
  Positions done_rows_;
};

arrow::Result<ExprPtr> BindAggregateFunction(const LambdaSite& site) {
  ARROW_RETURN_NOT_OK(CheckParameters(site, 0, 2, 2));
  ARROW_ASSIGN_OR_RAISE(const ExprPtr list, AsCollection(site, 0, false));
  const ExprPtr& zero = site.arguments[1];
  const TypePtr state = zero->type();
  std::vector<ExprPtr> arguments{list, zero};
  ARROW_ASSIGN_OR_RAISE(const Body merge, Body::Bind(site, 0, {state, ElementType(*list->type())}, &arguments));
  if (!SameType(*merge.type(), *state)) return Mismatch(site, TypeName(*state) + " from its lambda, as the start value is", *merge.type());
  std::vector<Body> finish;
  if (site.lambdas.size() > 1) {
    ARROW_RETURN_NOT_OK(CheckParameters(site, 1, 1, 1));
    ARROW_ASSIGN_OR_RAISE(Body body, Body::Bind(site, 1, {state}, &arguments));
    finish.push_back(std::move(body));
  }
  const TypePtr type = finish.empty() ? state : finish[0].type();
  return Expr::Call(site.name, type, arguments, LambdaKernel(1, [=](const KernelCall& call, const Selection& run, const Selection&) -> arrow::Result<arrow::Datum> {
                      arrow::MemoryPool* pool = call.context().pool;
                      const ListInput input(call.argument(0));
                      Positions rows, starts;
                      run.ForEachLive([&](int64_t row) {
                        rows.push_back(row);
                        starts.push_back(call.argument(1).RowOf(row));
                      });
                      ARROW_ASSIGN_OR_RAISE(auto start, TakeRows(*arrow::MakeArray(call.argument(1).data), starts, pool));
                      Accumulators states(std::move(start), std::move(rows));
                      for (int64_t place = 0;; ++place) {
                        ARROW_RETURN_NOT_OK(states.PutAside([&](int64_t row) { return input.length(row) <= place; }, pool));
                        if (states.rows().empty()) break;
                        Positions positions(states.rows().size());
                        std::transform(states.rows().begin(), states.rows().end(), positions.begin(), [&](int64_t row) { return input.begin(row) + place; });
                        ARROW_ASSIGN_OR_RAISE(auto values, TakeRows(input.values(), positions, pool));
                        ARROW_ASSIGN_OR_RAISE(auto merged, merge.Run(call, {states.values(), std::move(values)}, states.rows()));
                        states.Replace(std::move(merged));
                      }
                      ARROW_ASSIGN_OR_RAISE(auto result, states.Done(pool));
                      for (const Body& body : finish) {
                        ARROW_ASSIGN_OR_RAISE(result, body.Run(call, {std::move(result)}, states.done_rows()));
                      }
                      Positions of_row(static_cast<size_t>(call.num_rows()), -1);
                      for (size_t k = 0; k < states.done_rows().size(); ++k) of_row[static_cast<size_t>(states.done_rows()[k])] = static_cast<int64_t>(k);
                      ARROW_ASSIGN_OR_RAISE(const auto placed, TakeRows(*result, of_row, pool));
                      return arrow::Datum(placed);
                    }));
}

// Pairs of elements by place; the shorter array is continued with NULL.
arrow::Result<ExprPtr> BindZipWith(const LambdaSite& site) {
  ARROW_RETURN_NOT_OK(CheckParameters(site, 0, 2, 2));
  ARROW_ASSIGN_OR_RAISE(const ExprPtr left, AsCollection(site, 0, false));
  ARROW_ASSIGN_OR_RAISE(const ExprPtr right, AsCollection(site, 1, false));
  std::vector<ExprPtr> arguments{left, right};
  ARROW_ASSIGN_OR_RAISE(const Body body, Body::Bind(site, 0, {ElementType(*left->type()), ElementType(*right->type())}, &arguments));
  const TypePtr type = ListOf(body.type());
  return Expr::Call(site.name, type, arguments, LambdaKernel(2, [=](const KernelCall& call, const Selection& run, const Selection& valid) -> arrow::Result<arrow::Datum> {
                      const ListInput a(call.argument(0)), b(call.argument(1));
                      Positions rows, in_a, in_b;
                      ListGather lists(call.num_rows());
                      for (int64_t row = 0; row < call.num_rows(); ++row) {
                        const int64_t length = run.IsLive(row) ? std::max(a.length(row), b.length(row)) : 0;
                        for (int64_t k = 0; k < length; ++k) {
                          rows.push_back(row);
                          in_a.push_back(k < a.length(row) ? a.begin(row) + k : -1);
                          in_b.push_back(k < b.length(row) ? b.begin(row) + k : -1);
                          lists.Add(k);
                        }
                        lists.EndRow();
                      }
                      ARROW_ASSIGN_OR_RAISE(auto first, TakeRows(a.values(), in_a, call.context().pool));
                      ARROW_ASSIGN_OR_RAISE(auto second, TakeRows(b.values(), in_b, call.context().pool));
                      ARROW_ASSIGN_OR_RAISE(const auto values, body.Run(call, {std::move(first), std::move(second)}, rows));
                      return lists.FinishAround(type, values->data(), valid, call.context().pool);
                    }));
}

// ---------------------------------------------------------------------------------------------------------------------- maps

arrow::Result<std::vector<ArrayPtr>> EntryParameters(const KernelCall& call, const ListInput& maps, const Elements& entries) {
  ARROW_ASSIGN_OR_RAISE(auto keys, TakeRows(maps.keys(), entries.positions, call.context().pool));
  ARROW_ASSIGN_OR_RAISE(auto items, TakeRows(maps.items(), entries.positions, call.context().pool));
  return std::vector<ArrayPtr>{std::move(keys), std::move(items)};
}

arrow::Status CheckNewKeys(const arrow::Array& keys, const Elements& entries) {
  size_t row_begin = 0;
  for (size_t k = 0; k < entries.rows.size(); ++k) {
    if (entries.rows[k] != entries.rows[row_begin]) row_begin = k;
    if (keys.IsNull(static_cast<int64_t>(k))) return base::InvalidArgument("[NULL_MAP_KEY] Cannot use NULL as map key");
    for (size_t other = row_begin; other < k; ++other) {
      if (CompareValues(keys, static_cast<int64_t>(k), keys, static_cast<int64_t>(other)) == 0) {
        return base::InvalidArgument("[DUPLICATED_MAP_KEY] Duplicate map key was found");
      }
    }
  }
  return arrow::Status::OK();
}

enum class Entry { kKey, kItem };

// transform_keys and transform_values: the lambda takes the place of one side of every entry.
arrow::Result<ExprPtr> BindTransformMap(const LambdaSite& site, Entry side) {
  ARROW_RETURN_NOT_OK(CheckParameters(site, 0, 2, 2));
  ARROW_ASSIGN_OR_RAISE(const ExprPtr map, AsCollection(site, 0, true));
  const auto& from = static_cast<const arrow::MapType&>(*map->type());
  std::vector<ExprPtr> arguments{map};
  ARROW_ASSIGN_OR_RAISE(const Body body, Body::Bind(site, 0, {from.key_type(), from.item_type()}, &arguments));
  if (side == Entry::kKey && !IsOrderable(*body.type())) return base::InvalidArgument("[DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE] The key of a map cannot be or hold a map");
  const TypePtr type = side == Entry::kKey ? arrow::map(body.type(), from.item_type()) : arrow::map(from.key_type(), body.type());
  return Expr::Call(site.name, type, arguments, LambdaKernel(1, [=](const KernelCall& call, const Selection& run, const Selection& valid) -> arrow::Result<arrow::Datum> {
                      const ListInput input(call.argument(0));
                      const Elements entries(call, input, run);
                      ARROW_ASSIGN_OR_RAISE(auto sides, EntryParameters(call, input, entries));
                      ARROW_ASSIGN_OR_RAISE(auto values, body.Run(call, sides, entries.rows));
                      if (side == Entry::kKey) ARROW_RETURN_NOT_OK(CheckNewKeys(*values, entries));
                      sides[side == Entry::kKey ? 0 : 1] = std::move(values);
                      const TypePtr& pair = static_cast<const arrow::MapType&>(*type).value_type();
                      auto child = arrow::ArrayData::Make(pair, sides[0]->length(), {nullptr}, {sides[0]->data(), sides[1]->data()}, 0);
                      return entries.lists.FinishAround(type, std::move(child), valid, call.context().pool);
                    }));
}

arrow::Result<ExprPtr> BindMapFilter(const LambdaSite& site) {
  ARROW_RETURN_NOT_OK(CheckParameters(site, 0, 2, 2));
  ARROW_ASSIGN_OR_RAISE(const ExprPtr map, AsCollection(site, 0, true));
  const TypePtr type = map->type();
  const auto& from = static_cast<const arrow::MapType&>(*type);
  std::vector<ExprPtr> arguments{map};
  ARROW_ASSIGN_OR_RAISE(const Body body, BindPredicateBody(site, {from.key_type(), from.item_type()}, &arguments));
  return Expr::Call(site.name, type, arguments, LambdaKernel(1, [=](const KernelCall& call, const Selection& run, const Selection& valid) -> arrow::Result<arrow::Datum> {
                      const ListInput input(call.argument(0));
                      const Elements entries(call, input, run);
                      ARROW_ASSIGN_OR_RAISE(auto sides, EntryParameters(call, input, entries));
                      ARROW_ASSIGN_OR_RAISE(const auto keep, body.Run(call, std::move(sides), entries.rows));
                      return KeepTrue(call, type, input, entries, *keep, valid);
                    }));
}

// ------------------------------------------------------------------------------------------------------------------- the table

struct HigherOrderFunction {
  std::string_view name;
  size_t arguments;
  size_t lambdas_max;
  arrow::Result<ExprPtr> (*bind)(const LambdaSite& site);
};

constexpr HigherOrderFunction kFunctions[] = {
    {"transform", 1, 1, BindTransform},
    {"filter", 1, 1, BindFilter},
    {"exists", 1, 1, [](const LambdaSite& site) { return BindQuantifier(site, true); }},
    {"forall", 1, 1, [](const LambdaSite& site) { return BindQuantifier(site, false); }},
    {"aggregate", 2, 2, BindAggregateFunction},
    {"reduce", 2, 2, BindAggregateFunction},
    {"zip_with", 2, 1, BindZipWith},
    {"transform_keys", 1, 1, [](const LambdaSite& site) { return BindTransformMap(site, Entry::kKey); }},
    {"transform_values", 1, 1, [](const LambdaSite& site) { return BindTransformMap(site, Entry::kItem); }},
    {"map_filter", 1, 1, BindMapFilter},
};

// Spark's that take a lambda, or one more, and are not here.
constexpr std::string_view kRefused[] = {"array_sort", "map_zip_with"};

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

const HigherOrderFunction* FindFunction(std::string_view lower_name) {
  const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions), [&](const auto& each) { return each.name == lower_name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

}  // namespace

bool IsHigherOrderFunction(std::string_view name) { return FindFunction(Lower(name)) != nullptr; }

arrow::Result<ExprPtr> BindHigherOrderCall(std::string_view name, std::vector<ExprPtr> arguments, std::vector<UnboundLambda> lambdas,
                                           const EvalContext& context) {
  const std::string lower = Lower(name);
  const HigherOrderFunction* function = FindFunction(lower);
  if (function == nullptr) {
    if (std::find(std::begin(kRefused), std::end(kRefused), lower) != std::end(kRefused)) return base::Unsupported("Not supported: ", name, " with a lambda");
    return base::InvalidArgument("[INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION] ", name, " takes no lambda");
  }
  if (arguments.size() != function->arguments || lambdas.empty() || lambdas.size() > function->lambdas_max) {
    return base::InvalidArgument("[WRONG_NUM_ARGS.WITHOUT_SUGGESTION] ", name, " takes ", function->arguments, " arguments and then a lambda");
  }
  return function->bind(LambdaSite{lower, std::move(arguments), std::move(lambdas), &context});
}

}  // namespace vecruntime::expr
