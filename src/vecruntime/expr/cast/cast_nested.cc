// SPDX-License-Identifier: Apache-2.0
#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/util/bitmap_ops.h>

#include "vecruntime/expr/cast/cast.h"
#include "vecruntime/expr/cast/cast_internal.h"

namespace vecruntime::expr {
namespace {

// Which elements of a list's child belong to live, non-NULL rows; only those may raise an error.
columnar::Selection LiveElements(const KernelCall& call, const int32_t* offsets, int64_t child_length) {
  columnar::Selection live = columnar::Selection::None(child_length);
  const columnar::Selection valid = call.ValidRows();
  call.rows().ForEachLive([&](int64_t row) {
    if (!valid.IsLive(row)) return;
    const int64_t at = call.argument(0).RowOf(row);
    for (int32_t k = offsets[at]; k < offsets[at + 1]; ++k) live.Revive(k);
  });
  return live;
}

arrow::Result<std::shared_ptr<arrow::ArrayData>> CastChild(const std::shared_ptr<arrow::Array>& child, const TypePtr& to, bool try_cast,
                                                           const columnar::Selection& live, const EvalContext& context) {
  if (SameType(*child->type(), *to) && child->type()->Equals(*to)) return child->data();
  const Kernel kernel = MakeCastKernel(child->type(), to, try_cast);
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum values, kernel({arrow::Datum(child)}, live, context));
  if (values.is_array()) return values.array();
  ARROW_ASSIGN_OR_RAISE(const auto all, arrow::MakeArrayFromScalar(*values.scalar(), child->length(), context.pool));
  return all->data();
}

// The argument's data for num_rows() rows, without an offset in its children's way.
std::shared_ptr<arrow::ArrayData> WithChildren(const arrow::ArrayData& data, const TypePtr& to,
                                               std::vector<std::shared_ptr<arrow::ArrayData>> children) {
  auto copy = data.Copy();
  copy->type = to;
  copy->child_data = std::move(children);
  return copy;
}

}  // namespace

arrow::Result<arrow::Datum> CastNested(const KernelCall& call, const CastStep& step) {
  const arrow::ArrayData& data = *call.argument(0).data;
  const bool try_cast = step.try_cast;
  if (data.type->id() == arrow::Type::STRUCT) {
    const auto structs = std::static_pointer_cast<arrow::StructArray>(arrow::MakeArray(call.argument(0).data));
    columnar::Selection live = call.ValidRows();
    live.And(call.rows());
    if (call.argument(0).constant) live = columnar::Selection::All(1);
    std::vector<std::shared_ptr<arrow::ArrayData>> children;
    for (int k = 0; k < structs->num_fields(); ++k) {
      ARROW_ASSIGN_OR_RAISE(auto child, CastChild(structs->field(k), step.to->field(k)->type(), try_cast, live, call.context()));
      children.push_back(std::move(child));
    }
    // field(k) is already sliced, so the parent's own bitmap is what remains to be moved to offset 0.
    std::shared_ptr<arrow::Buffer> validity = data.buffers[0];
    if (validity && data.offset != 0) {
      ARROW_ASSIGN_OR_RAISE(validity, arrow::internal::CopyBitmap(call.context().pool, validity->data(), data.offset, data.length));
    }
    return arrow::Datum(arrow::ArrayData::Make(step.to, data.length, {validity}, std::move(children), data.null_count.load(), 0));
  }
  const auto* offsets = data.GetValues<int32_t>(1);
  const auto child = arrow::MakeArray(data.child_data[0]);
  const columnar::Selection live = LiveElements(call, offsets, child->length());
  if (data.type->id() == arrow::Type::LIST) {
    ARROW_ASSIGN_OR_RAISE(auto values, CastChild(child, step.to->field(0)->type(), try_cast, live, call.context()));
    return arrow::Datum(WithChildren(data, step.to, {std::move(values)}));
  }
  const auto& entries = static_cast<const arrow::StructArray&>(*child);
  const auto& map = static_cast<const arrow::MapType&>(*step.to);
  ARROW_ASSIGN_OR_RAISE(auto keys, CastChild(entries.field(0), map.key_type(), try_cast, live, call.context()));
  ARROW_ASSIGN_OR_RAISE(auto items, CastChild(entries.field(1), map.item_type(), try_cast, live, call.context()));
  auto pairs = arrow::ArrayData::Make(map.value_type(), entries.length(), {nullptr}, {std::move(keys), std::move(items)}, 0);
  return arrow::Datum(WithChildren(data, step.to, {std::move(pairs)}));
}

}  // namespace vecruntime::expr
