// SPDX-License-Identifier: Apache-2.0
#include "mlir/slices.h"

#include <algorithm>
#include <string>

#include "mlir/attributes.h"
#include "mlir/memory_type.h"

namespace iree_pjrt {
namespace {

constexpr char kOffsets[] = "static_offsets";
constexpr char kSizes[] = "static_sizes";
constexpr char kSteps[] = "static_strides";

bool IsKnown(int64_t number) { return number != kDynamic; }

// How many elements lie in a row of what is sliced; 1 if that is not known.
int64_t RowLength(const Ir& ir, MlirValue array) {
  const MlirType type = ir.api.mlirValueGetType(array);
  if (!ir.api.mlirTypeIsAShaped(type)) {
    const std::vector<int64_t> shape = ShapeInMemory(ir, array);
    return shape.empty() ? 1 : shape.back();
  }
  // `tensor.insert_slice` may have a scalar here.
  const intptr_t rank = ir.api.mlirShapedTypeGetRank(type);
  return rank == 0 ? 1 : ir.api.mlirShapedTypeGetDimSize(type, rank - 1);
}

}  // namespace

std::optional<Slice> ReadSlice(const Ir& ir, MlirOperation op) {
  if (!ir.Attribute(op, kSteps).ptr) return std::nullopt;
  const auto numbers = [&](const char* name) {
    return ReadIntegers(ir, ir.Attribute(op, name));
  };
  Slice slice{numbers(kOffsets), numbers(kSizes), numbers(kSteps)};
  for (const auto* list : {&slice.offsets, &slice.sizes, &slice.steps}) {
    if (!std::ranges::all_of(*list, IsKnown)) return std::nullopt;
  }
  return slice;
}

void SetSlice(const Ir& ir, MlirOperation op, const Slice& slice) {
  ir.SetAttribute(op, kOffsets, ir.Parse(Array64(slice.offsets)));
  ir.SetAttribute(op, kSizes, ir.Parse(Array64(slice.sizes)));
  ir.SetAttribute(op, kSteps, ir.Parse(Array64(slice.steps)));
}

MlirValue MakeSlice(const Ir& ir, MlirOperation before, MlirValue array,
                    const Slice& slice, MlirType type) {
  return ir.Results(ir.CreateBefore(
      before, "tensor.extract_slice", {array}, {type},
      {ir.Named("operandSegmentSizes", ir.Parse("array<i32: 1, 0, 0, 0>")),
       ir.Named(kOffsets, ir.Parse(Array64(slice.offsets))),
       ir.Named(kSizes, ir.Parse(Array64(slice.sizes))),
       ir.Named(kSteps, ir.Parse(Array64(slice.steps)))}))[0];
}

bool HasUnitSteps(const Ir& ir, MlirOperation slice) {
  return std::ranges::all_of(ReadIntegers(ir, ir.Attribute(slice, kSteps)),
                             [](int64_t step) { return step == 1; });
}

bool StepsAlongRows(const Ir& ir, MlirOperation slice) {
  const auto read = ReadSlice(ir, slice);
  if (!read || read->steps.empty()) return false;
  if (read->steps.back() != 1) return true;
  return read->sizes.back() == 1 &&
         RowLength(ir, ir.Operands(slice).at(0)) > 1 &&
         std::ranges::any_of(read->sizes,
                             [](int64_t size) { return size > 1; });
}

}  // namespace iree_pjrt
