// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include <algorithm>
#include <numeric>

#include "vecruntime/columnar/decode.h"
#include "vecruntime/columnar/dictionary.h"
#include "vecruntime/exec/aggregates/accumulator.h"
#include "vecruntime/exec/batch_source.h"
#include "vecruntime/exec/evaluation.h"
#include "vecruntime/exec/group_table.h"
#include "vecruntime/exec/key_combinations.h"
#include "vecruntime/exec/operators.h"
#include "vecruntime/exec/preaggregation.h"
#include "vecruntime/exec/shared_expressions.h"
#include "vecruntime/expr/evaluator.h"

namespace vecruntime::exec {
namespace {

// Chunks of columns that grow by taking rows.
struct StoredRows {
  std::vector<ArrayVector> columns;  // per column, its chunks
  int64_t rows = 0;
  int64_t bytes = 0;

  explicit StoredRows(size_t column_count = 0) : columns(column_count) {}

  arrow::Status Append(const ArrayVector& from, const std::vector<int64_t>& taken, arrow::MemoryPool* pool) {
    if (taken.empty()) return arrow::Status::OK();
    rows += static_cast<int64_t>(taken.size());
    for (size_t c = 0; c < columns.size(); ++c) {
      ARROW_ASSIGN_OR_RAISE(auto chunk, TakeRows(from[c], taken, pool));
      ARROW_ASSIGN_OR_RAISE(const int64_t size, arrow::util::ReferencedBufferSize(*chunk));
      bytes += size;
      columns[c].push_back(std::move(chunk));
    }
    return arrow::Status::OK();
  }

  arrow::Result<ArrayVector> Whole(const std::vector<std::shared_ptr<arrow::DataType>>& types, arrow::MemoryPool* pool) const {
    ArrayVector whole;
    for (size_t c = 0; c < columns.size(); ++c) {
      ARROW_ASSIGN_OR_RAISE(auto column, Concatenate(columns[c], types[c], pool));
      whole.push_back(std::move(column));
    }
    return whole;
  }
};

// The distinct (group, arguments...) rows of one DISTINCT call. They reach the accumulator once all workers' sets are united.
struct DistinctRows {
  GroupTable table;
  std::vector<std::shared_ptr<arrow::DataType>> types;  // uint group as int64, then the arguments
  StoredRows rows;

  explicit DistinctRows(std::vector<std::shared_ptr<arrow::DataType>> all) : table(all), types(std::move(all)), rows(types.size()) {}
  int64_t bytes() const { return table.bytes() + rows.bytes; }
};

// One worker's groups and states.
struct GroupState {
  std::unique_ptr<GroupTable> table;  // null for the global group
  CombinationGroups combination_groups;
  StoredRows keys;
  std::vector<std::unique_ptr<Accumulator>> accumulators;
  std::vector<std::unique_ptr<DistinctRows>> distinct;  // per call, null when not DISTINCT
  std::vector<uint32_t> group_of;                       // scratch
  base::Reservation reservation;

  int64_t groups() const { return table == nullptr ? 1 : table->size(); }
  int64_t bytes() const {
    int64_t bytes = (table == nullptr ? 0 : table->bytes()) + keys.bytes;
    for (const auto& accumulator : accumulators) bytes += accumulator->bytes();
    for (const auto& rows : distinct) bytes += rows == nullptr ? 0 : rows->bytes();
    return bytes;
  }
};

class AggregateSink : public Sink {
 public:
  AggregateSink(std::vector<expr::ExprPtr> keys, std::vector<AggregateCall> calls, const std::vector<std::string>& names)
      : keys_(std::move(keys)), calls_(std::move(calls)), shared_(ShareExpressions(keys_, calls_)) {
    arrow::FieldVector fields;
    for (const auto& key : keys_) {
      fields.push_back(arrow::field(names[fields.size()], key->type()));
      key_types_.push_back(key->type());
    }
    for (const auto& call : calls_) {
      fields.push_back(arrow::field(names[fields.size()], call.type));
      leader_.push_back(LeaderOf(leader_.size()));
    }
    preaggregation_ = Preaggregation::Make(keys_, calls_);
    schema_ = arrow::schema(std::move(fields));
  }

  const std::shared_ptr<arrow::Schema>& output_schema() const override { return schema_; }

  arrow::Status Open(const ExecContext& context) override {
    context_ = context;
    for (int worker = 0; worker < std::max(context.workers, 1); ++worker) states_.push_back(NewState());
    return arrow::Status::OK();
  }

  arrow::Status Consume(int worker, columnar::Batch batch) override {
    GroupState& state = states_[static_cast<size_t>(worker)];
    ARROW_RETURN_NOT_OK(CompactIfSparse(&batch));
    std::optional<Preaggregated> added_up;
    if (preaggregation_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(added_up, preaggregation_->Run(batch, context_));
    }
    if (added_up) {
      ARROW_RETURN_NOT_OK(ConsumeCells(*added_up, &state));
    } else {
      ARROW_RETURN_NOT_OK(ConsumeRows(&batch, &state));
    }
    return state.reservation.Resize(state.bytes());
  }

  arrow::Status Finish() override {
    GroupState& all = states_[0];
    for (size_t s = 1; s < states_.size(); ++s) {
      ARROW_RETURN_NOT_OK(MergeState(&states_[s], &all));
      ARROW_RETURN_NOT_OK(all.reservation.Resize(all.bytes()));
      states_[s] = GroupState();
    }
    ARROW_RETURN_NOT_OK(UpdateFromDistinct(&all));
    ARROW_RETURN_NOT_OK(UpdateFollowers(&all));
    ARROW_ASSIGN_OR_RAISE(result_.columns, all.keys.Whole(key_types_, PoolOf(context_)));
    for (auto& accumulator : all.accumulators) {
      ARROW_ASSIGN_OR_RAISE(auto values, accumulator->Finish(PoolOf(context_)));
      result_.columns.push_back(std::move(values));
    }
    result_.selection = columnar::Selection::All(all.groups());
    reservation_ = std::move(all.reservation);
    states_.clear();
    return arrow::Status::OK();
  }

  arrow::Result<std::unique_ptr<Source>> AsSource() override {
    std::vector<columnar::Batch> batches;
    if (result_.num_rows() > 0) batches.push_back(std::move(result_));
    auto source = std::make_unique<BatchSource>(schema_, std::move(batches), Describe(), false);
    source->Hold(std::move(reservation_));
    return source;
  }

  std::string Describe() const override;

 private:
  GroupState NewState() const {
    GroupState state;
    if (!keys_.empty()) state.table = std::make_unique<GroupTable>(key_types_);
    state.keys = StoredRows(keys_.size());
    for (const AggregateCall& call : calls_) {
      state.accumulators.push_back(MakeAccumulator(call));
      if (keys_.empty()) state.accumulators.back()->Resize(1);
      state.distinct.push_back(call.distinct ? std::make_unique<DistinctRows>(DistinctTypes(call)) : nullptr);
    }
    if (context_.budget != nullptr) state.reservation = context_.budget->Open("hash aggregation");
    return state;
  }

  arrow::Status ConsumeCells(const Preaggregated& added_up, GroupState* state) const {
    std::vector<KeyCombination> combinations;
    ARROW_ASSIGN_OR_RAISE(const auto parts, AssignParts(added_up.cells, &combinations, state));
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (leader_[c] != c) continue;
      for (const GroupedRows& part : parts) state->accumulators[c]->AddCells(added_up.sums[c], added_up.row_counts, part);
    }
    return arrow::Status::OK();
  }

  arrow::Status ConsumeRows(columnar::Batch* batch, GroupState* state) const {
    std::vector<KeyCombination> combinations;
    ARROW_ASSIGN_OR_RAISE(auto parts, AssignParts(*batch, &combinations, state));
    GroupParts groups(std::move(parts));
    if (!shared_.expressions.empty()) {
      batch->columns.resize(shared_.first_column);
      for (const auto& expression : shared_.expressions) {
        ARROW_ASSIGN_OR_RAISE(auto values, EvaluateEncodedArray(*expression, batch->columns, batch->selection, context_));
        batch->columns.push_back(std::move(values));
      }
    }
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (leader_[c] == c) ARROW_RETURN_NOT_OK(UpdateCall(c, batch, &groups, state));
    }
    return arrow::Status::OK();
  }

  // The groups of all live rows. The result points into the batch, `combinations` and `state`.
  arrow::Result<std::vector<GroupedRows>> AssignParts(const columnar::Batch& batch, std::vector<KeyCombination>* combinations,
                                                      GroupState* state) const {
    std::vector<GroupedRows> parts = {{.rows = &batch.selection}};
    if (keys_.empty()) return parts;
    ARROW_ASSIGN_OR_RAISE(ArrayVector keys, EvaluateKeys(batch));
    if (auto split = SplitByKeys(keys, batch.selection)) {
      *combinations = *std::move(split);
      return AssignCombinations(*combinations, keys, state);
    }
    ARROW_RETURN_NOT_OK(AssignGroups(std::move(keys), batch.selection, state));
    parts[0].groups = state->group_of.data();
    return parts;
  }

  // The first call whose state call c has, too, so that only that one is updated; c itself when there is none.
  size_t LeaderOf(size_t c) const {
    const auto is_plain = [](const AggregateCall& call) {
      return call.filter == nullptr && !call.distinct && call.arguments.size() == 1 && call.arguments[0]->kind() == expr::ExprKind::kColumn;
    };
    const std::vector<AggregateCall>& calls = shared_.calls;
    if (!is_plain(calls[c])) return c;
    for (size_t other = 0; other < c; ++other) {
      if (is_plain(calls[other]) && calls[other].arguments[0]->column() == calls[c].arguments[0]->column() &&
          MakeAccumulator(calls_[c])->HasStateOf(*MakeAccumulator(calls_[other]))) {
        return other;
      }
    }
    return c;
  }

  arrow::Status UpdateFollowers(GroupState* state) const {
    std::vector<uint32_t> same(static_cast<size_t>(state->groups()));
    std::iota(same.begin(), same.end(), 0);
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (leader_[c] != c) ARROW_RETURN_NOT_OK(state->accumulators[c]->Merge(state->accumulators[leader_[c]].get(), same));
    }
    return arrow::Status::OK();
  }

  static std::vector<std::shared_ptr<arrow::DataType>> DistinctTypes(const AggregateCall& call) {
    std::vector<std::shared_ptr<arrow::DataType>> types = {arrow::int32()};
    for (const auto& argument : call.arguments) types.push_back(argument->type());
    return types;
  }

  arrow::Result<ArrayVector> EvaluateKeys(const columnar::Batch& batch) const {
    ArrayVector keys;
    for (const auto& key : keys_) {
      ARROW_ASSIGN_OR_RAISE(keys.emplace_back(), EvaluateEncodedArray(*key, batch.columns, batch.selection, context_));
    }
    return keys;
  }

  // Numbers the groups of all live rows into state->group_of.
  arrow::Status AssignGroups(ArrayVector keys, const columnar::Selection& rows, GroupState* state) const {
    for (auto& key : keys) {
      ARROW_ASSIGN_OR_RAISE(key, columnar::Decode(std::move(key), PoolOf(context_)));
      ARROW_ASSIGN_OR_RAISE(key, NormalizeFloats(key, PoolOf(context_)));
    }
    std::vector<int64_t> new_rows;
    ARROW_RETURN_NOT_OK(state->table->Assign(keys, rows, &state->group_of, &new_rows));
    ARROW_RETURN_NOT_OK(state->keys.Append(keys, new_rows, PoolOf(context_)));
    ResizeAccumulators(state);
    return arrow::Status::OK();
  }

  // The group of each combination. The result points into `combinations`.
  arrow::Result<std::vector<GroupedRows>> AssignCombinations(const std::vector<KeyCombination>& combinations, const ArrayVector& keys,
                                                             GroupState* state) const {
    CombinationGroups& known = state->combination_groups;
    known.Start(keys);
    const bool all_known = std::ranges::all_of(combinations, [&](const KeyCombination& each) { return known.Find(each.code).has_value(); });
    if (!all_known) {
      ARROW_ASSIGN_OR_RAISE(ArrayVector rows, KeysOf(combinations, keys, PoolOf(context_)));
      ARROW_RETURN_NOT_OK(AssignGroups(std::move(rows), columnar::Selection::All(static_cast<int64_t>(combinations.size())), state));
      for (size_t i = 0; i < combinations.size(); ++i) known.Set(combinations[i].code, state->group_of[i]);
    }
    std::vector<GroupedRows> parts;
    for (const KeyCombination& each : combinations) parts.push_back({.rows = &each.rows, .group = *known.Find(each.code)});
    return parts;
  }

  static void ResizeAccumulators(GroupState* state) {
    for (auto& accumulator : state->accumulators) accumulator->Resize(static_cast<size_t>(state->groups()));
  }

  // Where few rows are alive, going over all of them costs more than moving those few together.
  arrow::Status CompactIfSparse(columnar::Batch* batch) const {
    const int64_t live = batch->selection.CountLive();
    if (live * kSparse > batch->num_rows()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(batch->columns, columnar::CompactEncoded(*batch, PoolOf(context_)));
    batch->selection = columnar::Selection::All(live);
    return arrow::Status::OK();
  }

  // Arguments that are columns stay decoded in the batch for the calls to come.
  arrow::Result<ArrayVector> EvaluateArguments(const AggregateCall& call, bool takes_encoded, columnar::Batch* batch,
                                               const columnar::Selection& rows) const {
    ArrayVector arguments;
    for (const auto& argument : call.arguments) {
      ARROW_ASSIGN_OR_RAISE(auto values, EvaluateEncodedArray(*argument, batch->columns, rows, context_));
      const arrow::DictionaryArray* encoded = columnar::AsEncoded(*values);
      const bool is_taken = encoded == nullptr ? values->type_id() == arrow::Type::DECIMAL64
                                               : encoded->indices()->type_id() == arrow::Type::UINT8 && encoded->dictionary()->null_count() == 0;
      if (!takes_encoded || !is_taken) {
        ARROW_ASSIGN_OR_RAISE(values, columnar::Decode(std::move(values), PoolOf(context_)));
        if (argument->kind() == expr::ExprKind::kColumn) batch->columns[static_cast<size_t>(argument->column())] = values;
      }
      arguments.push_back(std::move(values));
    }
    return arguments;
  }

  arrow::Status UpdateCall(size_t c, columnar::Batch* batch, GroupParts* groups, GroupState* state) const {
    const AggregateCall& call = shared_.calls[c];
    Accumulator* const accumulator = state->accumulators[c].get();
    columnar::Selection kept = batch->selection;
    if (call.filter != nullptr) {
      ARROW_RETURN_NOT_OK(expr::Filter(*call.filter, batch->columns, context_.eval, &kept));
      if (kept.NoneLive()) return arrow::Status::OK();
    }
    const bool takes_encoded = accumulator->TakesEncoded() && !call.distinct;
    ARROW_ASSIGN_OR_RAISE(const ArrayVector arguments, EvaluateArguments(call, takes_encoded, batch, kept));
    if (call.filter == nullptr && !call.distinct && groups->parts().size() > 1) return accumulator->UpdateParts(arguments, groups);
    for (const GroupedRows& part : groups->parts()) {
      columnar::Selection filtered;
      GroupedRows rows = part;
      if (call.filter != nullptr) {
        filtered = *part.rows;
        filtered.And(kept);
        rows = part.Among(filtered);
      }
      ARROW_RETURN_NOT_OK(call.distinct ? AddDistinct(arguments, rows, state->distinct[c].get()) : accumulator->Update(arguments, rows));
    }
    return arrow::Status::OK();
  }

  arrow::Status AddDistinct(const ArrayVector& arguments, const GroupedRows& rows, DistinctRows* distinct) const {
    std::vector<uint32_t> group_of(static_cast<size_t>(rows.rows->length()), rows.group);
    if (rows.groups != nullptr) std::copy_n(rows.groups, group_of.size(), group_of.begin());
    ARROW_ASSIGN_OR_RAISE(auto groups, FixedWidthArray(arrow::int32(), group_of.data(), group_of.size(), {}, PoolOf(context_)));
    ArrayVector columns = {std::move(groups)};
    for (const auto& argument : arguments) {
      ARROW_ASSIGN_OR_RAISE(auto normal, NormalizeFloats(argument, PoolOf(context_)));
      columns.push_back(std::move(normal));
    }
    std::vector<int64_t> new_rows;
    ARROW_RETURN_NOT_OK(distinct->table.Assign(columns, *rows.rows, &group_of, &new_rows));
    return distinct->rows.Append(columns, new_rows, PoolOf(context_));
  }

  // Adds the groups and states of `from` to `into`.
  arrow::Status MergeState(GroupState* from, GroupState* into) const {
    std::vector<uint32_t> to(static_cast<size_t>(from->groups()), 0);
    if (!keys_.empty()) {
      ARROW_ASSIGN_OR_RAISE(ArrayVector keys, from->keys.Whole(key_types_, PoolOf(context_)));
      std::vector<int64_t> new_rows;
      ARROW_RETURN_NOT_OK(into->table->Assign(keys, columnar::Selection::All(from->groups()), &to, &new_rows));
      ARROW_RETURN_NOT_OK(into->keys.Append(keys, new_rows, PoolOf(context_)));
      ResizeAccumulators(into);
    }
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (calls_[c].distinct) {
        ARROW_RETURN_NOT_OK(MergeDistinct(*from->distinct[c], to, into->distinct[c].get()));
      } else {
        ARROW_RETURN_NOT_OK(into->accumulators[c]->Merge(from->accumulators[c].get(), to));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status MergeDistinct(const DistinctRows& from, const std::vector<uint32_t>& to, DistinctRows* into) const {
    if (from.rows.rows == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(ArrayVector columns, from.rows.Whole(from.types, PoolOf(context_)));
    const auto rows = columnar::Selection::All(from.rows.rows);
    std::vector<uint32_t> group_of = GroupsOf(*columns[0]);
    for (uint32_t& group : group_of) group = to[group];
    columns.erase(columns.begin());
    return AddDistinct(columns, {&rows, group_of.data()}, into);
  }

  static std::vector<uint32_t> GroupsOf(const arrow::Array& groups) {
    const auto* values = groups.data()->GetValues<uint32_t>(1);
    return {values, values + groups.length()};
  }

  arrow::Status UpdateFromDistinct(GroupState* state) const {
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (!calls_[c].distinct || state->distinct[c]->rows.rows == 0) continue;
      const DistinctRows& distinct = *state->distinct[c];
      ARROW_ASSIGN_OR_RAISE(ArrayVector columns, distinct.rows.Whole(distinct.types, PoolOf(context_)));
      const auto rows = columnar::Selection::All(distinct.rows.rows);
      const std::vector<uint32_t> groups = GroupsOf(*columns[0]);
      columns.erase(columns.begin());
      ARROW_RETURN_NOT_OK(state->accumulators[c]->Update(columns, {&rows, groups.data()}));
    }
    return arrow::Status::OK();
  }

  static constexpr int64_t kSparse = 4;

  std::vector<expr::ExprPtr> keys_;
  std::vector<std::shared_ptr<arrow::DataType>> key_types_;
  std::vector<AggregateCall> calls_;
  SharedExpressions shared_;
  std::vector<size_t> leader_;  // by call
  std::unique_ptr<const Preaggregation> preaggregation_;
  std::shared_ptr<arrow::Schema> schema_;
  ExecContext context_;
  std::vector<GroupState> states_;
  columnar::Batch result_;
  base::Reservation reservation_;
};

std::string AggregateSink::Describe() const {
  std::string text = "Aggregate";
  for (size_t k = 0; k < keys_.size(); ++k) text += (k == 0 ? " by " : ", ") + keys_[k]->ToString();
  for (size_t c = 0; c < calls_.size(); ++c) {
    const AggregateCall& call = calls_[c];
    text += (c == 0 ? (keys_.empty() ? " " : ": ") : ", ") + call.function + (call.distinct ? "(DISTINCT " : "(");
    for (size_t a = 0; a < call.arguments.size(); ++a) text += (a == 0 ? "" : ", ") + call.arguments[a]->ToString();
    if (call.arguments.empty()) text += "*";
    text += ")";
    if (call.filter != nullptr) text += " FILTER (WHERE " + call.filter->ToString() + ")";
  }
  return text;
}

}  // namespace

std::unique_ptr<Sink> MakeAggregate(std::vector<expr::ExprPtr> keys, std::vector<AggregateCall> calls, std::vector<std::string> names) {
  return std::make_unique<AggregateSink>(std::move(keys), std::move(calls), names);
}

}  // namespace vecruntime::exec
