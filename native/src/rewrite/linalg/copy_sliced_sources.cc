// SPDX-License-Identifier: Apache-2.0
// Three kinds of slices that IREE (3.11, 3.13) fuses wrongly.
//
// A program takes elements at a computed index from a slice of an array (`x[:,
// 2][i]`). Where a dimension has size one, IREE forgets where the slice begins
// and how far apart its elements are. The slice is copied first, into an array
// of its own.
//
// The same where the slice is widened and its elements do not lie side by side
// (`x[::2].astype(float)[i]`): what widens is computed again where it is used,
// and IREE then refuses the program. A copy again; and of slices that narrow
// indices are widened from (`x[i[:, 1].astype(int)]`).
//
// A program takes every other element of a few numbers that are computed from
// narrower ones (`x.astype(int)[::2] * 2`). IREE fuses the three operations and
// takes only the first elements. A barrier keeps the computation apart.
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "mlir/attributes.h"
#include "mlir/generics.h"
#include "mlir/scalar_builder.h"
#include "mlir/slices.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// Numbers as few as these fit into one vector, even the narrowest ones.
constexpr int64_t kFew = 64;

std::vector<int64_t> Numbers(const Ir& ir, MlirOperation op,
                             std::string_view name) {
  return ReadIntegers(ir, ir.Attribute(op, name));
}

// Whether `flow.tensor.slice`, a copy of bytes, can make the slice: it takes
// whole steps of one dimension, and its sizes are known.
bool IsContiguous(const Ir& ir, MlirOperation slice) {
  const MlirType from =
      ir.api.mlirValueGetType(ir.api.mlirOperationGetOperand(slice, 0));
  const MlirType to = ir.ResultTypes(slice).at(0);
  const std::vector<int64_t> sizes = Numbers(ir, slice, "static_sizes");
  if (!HasUnitSteps(ir, slice) || !ir.api.mlirShapedTypeHasStaticShape(from) ||
      !ir.api.mlirShapedTypeHasStaticShape(to) ||
      ir.api.mlirShapedTypeGetRank(from) != ir.api.mlirShapedTypeGetRank(to)) {
    return false;
  }
  bool part = false;  // of a dimension; all sizes before it are 1
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t whole =
        ir.api.mlirShapedTypeGetDimSize(from, static_cast<intptr_t>(i));
    if (part && sizes[i] != whole) return false;
    part |= sizes[i] != 1;
  }
  return true;
}

void MakeBefore(const Ir& ir, MlirOperation slice) {
  const std::vector<MlirValue> operands = ir.Operands(slice);
  const std::vector<int64_t> offsets = Numbers(ir, slice, "static_offsets");
  const ScalarBuilder index(ir, slice, ir.ParseType("index"));
  std::vector<MlirValue> made = {operands.at(0)};
  size_t computed = 1;  // the next operand that is a computed offset
  for (const int64_t offset : offsets) {
    made.push_back(offset == kDynamic ? operands.at(computed++)
                                      : index.Constant(offset));
  }
  for (const int64_t size : Numbers(ir, slice, "static_sizes")) {
    made.push_back(index.Constant(size));
  }
  const std::string rank = std::to_string(offsets.size());
  const MlirOperation copy = ir.CreateBefore(
      slice, "flow.tensor.slice", made, ir.ResultTypes(slice),
      {ir.Named("operandSegmentSizes",
                ir.Parse("array<i32: 1, 0, " + rank + ", " + rank + ", 0>"))});
  ir.Replace(slice, {ir.api.mlirOperationGetResult(copy, 0)});
}

// Copies the slices with steps that an array is computed from, element by
// element and with a change of type.
void CopyConvertedSlices(const Ir& ir, MlirValue array, bool is_converted,
                         std::set<std::pair<const void*, bool>>& seen) {
  array = ir.BeforeReshapes(array);
  const MlirOperation op = ir.Definition(array);
  if (is_converted && op.ptr && ir.Name(op) == "tensor.extract_slice" &&
      !IsContiguous(ir, op)) {
    ir.PutBehindBarrier(array);
  }
  if (!IsElementwise(ir, op) || !seen.emplace(op.ptr, is_converted).second) {
    return;
  }
  for (const MlirValue operand : ir.Operands(op)) {
    if (!ir.IsArray(operand)) continue;
    CopyConvertedSlices(
        ir, operand, is_converted || !SameElements(ir, operand, array), seen);
  }
}

bool HoldsFew(const Ir& ir, MlirValue tensor) {
  const MlirType type = ir.api.mlirValueGetType(tensor);
  if (!ir.api.mlirShapedTypeHasStaticShape(type)) return false;
  int64_t size = 1;
  for (intptr_t i = 0; i < ir.api.mlirShapedTypeGetRank(type); ++i) {
    size *= ir.api.mlirShapedTypeGetDimSize(type, i);
  }
  return size <= kFew;
}

bool HoldsIntegers(const Ir& ir, MlirValue value) {
  return ir.IsArray(value) &&
         ir.api.mlirTypeIsAInteger(ir.api.mlirShapedTypeGetElementType(
             ir.api.mlirValueGetType(value)));
}

void KeepFromSlice(const Ir& ir, MlirOperation slice) {
  const MlirValue sliced = ir.api.mlirOperationGetOperand(slice, 0);
  if (HoldsFew(ir, sliced) && !HasUnitSteps(ir, slice) &&
      IsGeneric(ir, ir.DefinitionBeforeReshapes(sliced))) {
    ir.PutBehindBarrier(ir.BeforeReshapes(sliced));
  }
}

}  // namespace

void CopySlicedSources(const Ir& ir) {
  std::set<std::pair<const void*, bool>> seen;
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view kind = ir.Name(op);
    if (kind == "tensor.extract_slice") KeepFromSlice(ir, op);
    if (kind != "tensor.extract" && kind != "iree_linalg_ext.gather") continue;
    const MlirValue taken = ir.Operands(op).at(0);
    CopyConvertedSlices(ir, taken, false, seen);
    const MlirOperation taker = ir.Enclosing(op, "linalg.generic");
    if (taker.ptr) {
      for (const MlirValue operand : ir.Operands(taker)) {
        if (HoldsIntegers(ir, operand)) {
          CopyConvertedSlices(ir, operand, false, seen);
        }
      }
    }
    const MlirOperation slice = ir.DefinitionBeforeReshapes(taken);
    if (!slice.ptr || ir.Name(slice) != "tensor.extract_slice") continue;
    if (IsContiguous(ir, slice)) {
      MakeBefore(ir, slice);
    } else {  // IREE makes a value behind a barrier in a kernel of its own
      ir.PutBehindBarrier(ir.api.mlirOperationGetResult(slice, 0));
    }
  }
}

}  // namespace iree_pjrt
