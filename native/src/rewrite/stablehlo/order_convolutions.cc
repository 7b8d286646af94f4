// SPDX-License-Identifier: Apache-2.0
// Convolutions whose dimensions are not in the order of IREE's named ones:
// batch, space, features, and a filter of space, features in, features out.
// IREE (3.11 and 3.13) runs them as scalar code: NCHW 70 times, gradients of
// filters 13 times slower. The pass transposes what goes in and comes out.
// Barriers keep IREE from taking these and the program's own transposes into
// the convolution.
#include <algorithm>

#include "mlir/convolution.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

bool IsOrdered(const Dims& dims) {
  return std::is_sorted(dims.begin(), dims.end());
}

bool IsTranspose(const Ir& ir, MlirOperation op) {
  return op.ptr && StablehloName(ir.Name(op)) == "transpose";
}

void TransposeOperand(const Ir& ir, MlirOperation op, intptr_t operand,
                      const Dims& order) {
  const MlirValue given = ir.api.mlirOperationGetOperand(op, operand);
  if (IsOrdered(order)) {
    if (IsTranspose(ir, ir.Definition(given))) ir.PutBehindBarrier(given);
    return;
  }
  const MlirValue transposed = StablehloBuilder(ir, op).Transpose(given, order);
  ir.api.mlirOperationSetOperand(op, operand, transposed);
  ir.PutBehindBarrier(transposed);
}

void TransposeResult(const Ir& ir, MlirOperation op, const Dims& order) {
  const MlirValue result = ir.api.mlirOperationGetResult(op, 0);
  const std::vector<Use> uses = ir.Uses(result);
  if (IsOrdered(order)) {
    if (std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
          return IsTranspose(ir, use.user);
        })) {
      ir.PutBehindBarrier(result);
    }
    return;
  }
  const StablehloBuilder after(ir, ir.api.mlirOperationGetNextInBlock(op), op);
  const ArrayType type = after.TypeOf(result);
  Dims shape;
  Dims back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const auto d = static_cast<size_t>(order[i]);
    shape.push_back(type.shape.at(d));
    back.at(d) = static_cast<int64_t>(i);
  }
  ir.api.mlirValueSetType(result, ir.ParseType(type.Reshaped(shape)));
  ir.SetUses(uses, after.Transpose(result, back));
  ir.PutBehindBarrier(result);
}

}  // namespace

void OrderConvolutions(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "convolution") continue;
    const size_t rank =
        StablehloBuilder(ir, op).ShapeOf(ir.Results(op)[0]).size();
    const ConvolutionDims dims = ReadConvolution(ir, op, rank);
    TransposeOperand(ir, op, 0, dims.input);
    TransposeOperand(ir, op, 1, dims.kernel);
    TransposeResult(ir, op, dims.output);
    WriteOrderedConvolution(ir, op, rank);
  }
}

}  // namespace iree_pjrt
