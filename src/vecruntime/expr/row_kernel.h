// SPDX-License-Identifier: Apache-2.0
// The loops that kernels are made of. A kernel names its physical input and output types and gives the body for one row; the loop
// reads typed buffers, propagates NULL, skips dead rows where the body may fail or is dear, and finds the first failing row.
//
// Physical types: bool, int8_t..int64_t, float, double, Int128 (decimal128), std::string_view (utf8 and binary).
#pragma once

#include <arrow/array/data.h>
#include <arrow/buffer.h>
#include <arrow/datum.h>
#include <arrow/result.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "vecruntime/columnar/selection.h"
#include "vecruntime/expr/decimal.h"
#include "vecruntime/expr/expr.h"

namespace vecruntime::expr {



/// A kernel argument as array data; a constant has one row that stands for all.
struct Argument {
  std::shared_ptr<arrow::ArrayData> data;
  bool constant = false;

  int64_t RowOf(int64_t row) const { return constant ? 0 : row; }
  bool IsValid(int64_t row) const { return data->IsValid(RowOf(row)); }
};

/// One invocation of a kernel.
class KernelCall {
 public:
  static arrow::Result<KernelCall> Make(const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                                        const EvalContext& context);

  const std::vector<Argument>& arguments() const { return arguments_; }
  const Argument& argument(size_t k) const { return arguments_[k]; }
  const columnar::Selection& rows() const { return *rows_; }
  const EvalContext& context() const { return *context_; }
  int64_t num_rows() const { return rows_->length(); }
  /// Rows where no argument is NULL, dead rows included.
  columnar::Selection ValidRows() const;
  /// Rows where argument k is not NULL, dead rows included.
  columnar::Selection ValidRows(size_t k) const;

 private:
  KernelCall() = default;
  std::vector<Argument> arguments_;
  const columnar::Selection* rows_ = nullptr;
  const EvalContext* context_ = nullptr;
};

/// The validity bitmap (nullptr when all set) and null count of `valid`.
arrow::Result<std::shared_ptr<arrow::Buffer>> ValidityBuffer(const columnar::Selection& valid, arrow::MemoryPool* pool,
                                                             int64_t* null_count);
/// An array of fixed-width or boolean values.
arrow::Result<arrow::Datum> FixedResult(const std::shared_ptr<arrow::DataType>& type, const columnar::Selection& valid,
                                        std::shared_ptr<arrow::Buffer> values, arrow::MemoryPool* pool);
/// A utf8 or binary array.
arrow::Result<arrow::Datum> StringResult(const std::shared_ptr<arrow::DataType>& type, const columnar::Selection& valid,
                                         std::shared_ptr<arrow::Buffer> offsets, std::string data, arrow::MemoryPool* pool);
/// A boolean array from one bit per row.
arrow::Result<arrow::Datum> BooleanResult(const columnar::Selection& valid, const columnar::Selection& values,
                                          arrow::MemoryPool* pool);
/// ResourceExhausted: strings of one batch over 2 GiB.
arrow::Status StringsTooLong();

// ---------------------------------------------------------------------------------------------------------------- reading

template <typename T>
class Column {
 public:
  explicit Column(const Argument& argument)
      : values_(argument.data->GetValues<T>(1)), mask_(argument.constant ? 0 : -1) {}
  T operator[](int64_t row) const { return values_[row & mask_]; }
  const T* values() const { return values_; }
  bool constant() const { return mask_ == 0; }

 private:
  const T* values_;
  int64_t mask_;
};

template <>
class Column<bool> {
 public:
  explicit Column(const Argument& argument)
      : bits_(argument.data->buffers[1] ? argument.data->buffers[1]->data() : nullptr),
        offset_(argument.data->offset),
        mask_(argument.constant ? 0 : -1) {}
  bool operator[](int64_t row) const { return arrow::bit_util::GetBit(bits_, offset_ + (row & mask_)); }

 private:
  const uint8_t* bits_;
  int64_t offset_;
  int64_t mask_;
};

template <>
class Column<Int128> {
 public:
  explicit Column(const Argument& argument)
      : bytes_(argument.data->buffers[1] ? argument.data->buffers[1]->data() + argument.data->offset * 16 : nullptr),
        mask_(argument.constant ? 0 : -1) {}
  // Arrow promises 8-byte alignment only, so the 16 bytes are copied.
  Int128 operator[](int64_t row) const {
    Int128 value;
    std::memcpy(&value, bytes_ + (row & mask_) * 16, 16);
    return value;
  }

 private:
  const uint8_t* bytes_;
  int64_t mask_;
};

template <>
class Column<std::string_view> {
 public:
  explicit Column(const Argument& argument)
      : offsets_(argument.data->GetValues<int32_t>(1)),
        bytes_(argument.data->buffers[2] ? reinterpret_cast<const char*>(argument.data->buffers[2]->data()) : ""),
        mask_(argument.constant ? 0 : -1) {}
  std::string_view operator[](int64_t row) const {
    const int64_t at = row & mask_;
    return {bytes_ + offsets_[at], static_cast<size_t>(offsets_[at + 1] - offsets_[at])};
  }

 private:
  const int32_t* offsets_;
  const char* bytes_;
  int64_t mask_;
};

// ---------------------------------------------------------------------------------------------------------------- writing

/// What every row body may do besides setting a value.
class RowOutcome {
 public:
  explicit RowOutcome(columnar::Selection* valid) : valid_(valid) {}
  void Null() { valid_->Kill(row_); }
  void Fail(arrow::Status status) { status_ = std::move(status); }
  bool failed() const { return !status_.ok(); }
  const arrow::Status& status() const { return status_; }
  int64_t row() const { return row_; }

 protected:
  columnar::Selection* valid_;
  int64_t row_ = 0;
  arrow::Status status_;
};

/// Output of the row bodies of one kernel call. A body calls Set (or Append for strings) for its row, or Null, or Fail.
template <typename T>
class Writer : public RowOutcome {
 public:
  Writer(columnar::Selection* valid, int64_t num_rows) : RowOutcome(valid), num_rows_(num_rows) {}
  arrow::Status Reserve(arrow::MemoryPool* pool) {
    ARROW_ASSIGN_OR_RAISE(buffer_, arrow::AllocateBuffer(num_rows_ * static_cast<int64_t>(sizeof(T)), pool));
    values_ = buffer_->mutable_data();
    std::memset(values_, 0, static_cast<size_t>(buffer_->size()));
    return arrow::Status::OK();
  }
  void Set(T value) { std::memcpy(values_ + row_ * static_cast<int64_t>(sizeof(T)), &value, sizeof(T)); }
  void Begin(int64_t row) { row_ = row; }
  void End() {}
  arrow::Result<arrow::Datum> Finish(const std::shared_ptr<arrow::DataType>& type, arrow::MemoryPool* pool) {
    return FixedResult(type, *valid_, std::move(buffer_), pool);
  }

 private:
  int64_t num_rows_;
  std::shared_ptr<arrow::Buffer> buffer_;
  uint8_t* values_ = nullptr;
};

template <>
class Writer<bool> : public RowOutcome {
 public:
  Writer(columnar::Selection* valid, int64_t num_rows)
      : RowOutcome(valid), bits_(columnar::Selection::None(num_rows)) {}
  arrow::Status Reserve(arrow::MemoryPool*) { return arrow::Status::OK(); }
  void Set(bool value) {
    if (value) bits_.Revive(row_);
  }
  void Begin(int64_t row) { row_ = row; }
  void End() {}
  arrow::Result<arrow::Datum> Finish(const std::shared_ptr<arrow::DataType>&, arrow::MemoryPool* pool) {
    return BooleanResult(*valid_, bits_, pool);
  }

 private:
  columnar::Selection bits_;
};

template <>
class Writer<std::string_view> : public RowOutcome {
 public:
  Writer(columnar::Selection* valid, int64_t num_rows) : RowOutcome(valid), num_rows_(num_rows) {}
  arrow::Status Reserve(arrow::MemoryPool* pool) {
    ARROW_ASSIGN_OR_RAISE(buffer_, arrow::AllocateBuffer((num_rows_ + 1) * static_cast<int64_t>(sizeof(int32_t)), pool));
    offsets_ = reinterpret_cast<int32_t*>(buffer_->mutable_data());
    offsets_[0] = 0;
    return arrow::Status::OK();
  }
  /// Whether `bytes` more fit; Fails otherwise. For bodies whose output is much longer than their input.
  bool Fits(int64_t bytes) {
    if (bytes <= std::numeric_limits<int32_t>::max() - static_cast<int64_t>(data_.size())) return true;
    Fail(StringsTooLong());
    return false;
  }
  void Append(std::string_view text) { data_.append(text); }
  void Append(char byte) { data_.push_back(byte); }
  void Set(std::string_view text) { data_.append(text); }
  /// The bytes of all rows so far; a body may only append.
  std::string* data() { return &data_; }
  void Null() {
    RowOutcome::Null();
    data_.resize(static_cast<size_t>(offsets_[row_]));
  }
  void Begin(int64_t row) { row_ = row; }
  void End() {
    if (data_.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) return Fail(StringsTooLong());
    offsets_[row_ + 1] = static_cast<int32_t>(data_.size());
  }
  arrow::Result<arrow::Datum> Finish(const std::shared_ptr<arrow::DataType>& type, arrow::MemoryPool* pool) {
    return StringResult(type, *valid_, std::move(buffer_), std::move(data_), pool);
  }

 private:
  int64_t num_rows_;
  std::shared_ptr<arrow::Buffer> buffer_;
  int32_t* offsets_ = nullptr;
  std::string data_;
};

// ------------------------------------------------------------------------------------------------------------------ loops

/// Runs body(Writer<Out>&, In...) on the live rows whose arguments are all non-NULL; other rows are NULL or unspecified.
template <typename Out, typename... In, typename Body>
arrow::Result<arrow::Datum> RunRows(const KernelCall& call, const std::shared_ptr<arrow::DataType>& type, Body&& body) {
  return [&]<size_t... K>(std::index_sequence<K...>) -> arrow::Result<arrow::Datum> {
    columnar::Selection valid = call.ValidRows();
    columnar::Selection run = valid;
    run.And(call.rows());
    const std::tuple<Column<In>...> columns{Column<In>(call.argument(K))...};
    Writer<Out> out(&valid, call.num_rows());
    ARROW_RETURN_NOT_OK(out.Reserve(call.context().pool));
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      out.Begin(row);
      if (run.IsLive(row)) {
        body(out, std::get<K>(columns)[row]...);
        if (out.failed()) return out.status();
      }
      out.End();
    }
    if (out.failed()) return out.status();
    return out.Finish(type, call.context().pool);
  }(std::index_sequence_for<In...>{});
}

/// RunRows as a Kernel, for bodies that need no context.
template <typename Out, typename... In, typename Body>
Kernel RowKernel(std::shared_ptr<arrow::DataType> type, Body body) {
  return [type = std::move(type), body](const std::vector<arrow::Datum>& arguments, const columnar::Selection& rows,
                                        const EvalContext& context) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const KernelCall call, KernelCall::Make(arguments, rows, context));
    return RunRows<Out, In...>(call, type, body);
  };
}

/// Out = map(In) for every row, dead and NULL ones included: `map` is total and cheap.
template <typename Out, typename In, typename Map>
arrow::Result<arrow::Datum> MapUnary(const KernelCall& call, const std::shared_ptr<arrow::DataType>& type, Map&& map) {
  const Column<In> in(call.argument(0));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(call.num_rows() * static_cast<int64_t>(sizeof(Out)), call.context().pool));
  Out* out = reinterpret_cast<Out*>(buffer->mutable_data());
  for (int64_t row = 0; row < call.num_rows(); ++row) out[row] = map(in[row]);
  return FixedResult(type, call.ValidRows(), std::move(buffer), call.context().pool);
}

/// Calls each(row, a, b) for every row; the constant side is read once so that the loop stays a plain one over the other.
template <typename A, typename B, typename Each>
void ForEachPair(const KernelCall& call, Each&& each) {
  const Column<A> a(call.argument(0));
  const Column<B> b(call.argument(1));
  const int64_t n = call.num_rows();
  if (n == 0) return;
  if (call.argument(1).constant) {
    const B right = b[0];
    for (int64_t row = 0; row < n; ++row) each(row, a[row], right);
  } else if (call.argument(0).constant) {
    const A left = a[0];
    for (int64_t row = 0; row < n; ++row) each(row, left, b[row]);
  } else if constexpr (requires { a.values(), b.values(); }) {
    const A* const left = a.values();  // Column's own index arithmetic would keep the loop from being vectorized
    const B* const right = b.values();
    for (int64_t row = 0; row < n; ++row) each(row, left[row], right[row]);
  } else {
    for (int64_t row = 0; row < n; ++row) each(row, a[row], b[row]);
  }
}

/// Out = map(A, B) for every row; `map` is total and cheap.
template <typename Out, typename A, typename B, typename Map>
arrow::Result<arrow::Datum> MapBinary(const KernelCall& call, const std::shared_ptr<arrow::DataType>& type, Map&& map) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(call.num_rows() * static_cast<int64_t>(sizeof(Out)), call.context().pool));
  Out* out = reinterpret_cast<Out*>(buffer->mutable_data());
  ForEachPair<A, B>(call, [&](int64_t row, A a, B b) { out[row] = map(a, b); });
  return FixedResult(type, call.ValidRows(), std::move(buffer), call.context().pool);
}

/// As MapBinary for map(A, B, Out*) that returns false where the result does not exist: then the first such row that is alive and
/// not NULL is an error made by fail(A, B), or every such row is NULL when `null_on_failure`.
template <typename Out, typename A, typename B, typename Map, typename Fail>
arrow::Result<arrow::Datum> MapBinaryChecked(const KernelCall& call, const std::shared_ptr<arrow::DataType>& type,
                                             bool null_on_failure, Map&& map, Fail&& fail) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(call.num_rows() * static_cast<int64_t>(sizeof(Out)), call.context().pool));
  Out* out = reinterpret_cast<Out*>(buffer->mutable_data());
  bool all_ok = true;
  ForEachPair<A, B>(call, [&](int64_t row, A a, B b) {
    Out value{};
    all_ok &= map(a, b, &value);
    std::memcpy(out + row, &value, sizeof(Out));
  });
  columnar::Selection valid = call.ValidRows();
  if (!all_ok) {
    columnar::Selection run = valid;
    if (!null_on_failure) run.And(call.rows());
    const Column<A> a(call.argument(0));
    const Column<B> b(call.argument(1));
    for (int64_t row = 0; row < call.num_rows(); ++row) {
      Out ignored{};
      if (!run.IsLive(row) || map(a[row], b[row], &ignored)) continue;
      if (!null_on_failure) return fail(a[row], b[row]);
      valid.Kill(row);
    }
  }
  return FixedResult(type, valid, std::move(buffer), call.context().pool);
}

/// Boolean test(A, B) for every row; `test` is total and cheap.
template <typename A, typename B, typename Test>
arrow::Result<arrow::Datum> MapPredicate(const KernelCall& call, Test&& test) {
  columnar::Selection bits = columnar::Selection::None(call.num_rows());
  uint64_t* words = bits.mutable_words().data();
  ForEachPair<A, B>(call, [&](int64_t row, A a, B b) { words[row >> 6] |= static_cast<uint64_t>(test(a, b)) << (row & 63); });
  return BooleanResult(call.ValidRows(), bits, call.context().pool);
}

}  // namespace vecruntime::expr
