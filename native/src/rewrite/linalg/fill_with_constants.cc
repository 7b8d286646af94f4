// SPDX-License-Identifier: Apache-2.0
// What reductions over windows begin with, which IREE's input phase makes of a
// constant as any computed array. Two reductions then share it, and for GPUs
// IREE (3.13) does not compile a dispatch that hands it out beside its own
// result. The pass fills an array with the constant, which IREE does again for
// each user.
#include "mlir/attributes.h"
#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// The number, as an attribute, that a generic puts everywhere, its only input;
// null if it does something else.
MlirAttribute NumberOf(const Ir& ir, MlirOperation op) {
  constexpr MlirAttribute kNone{nullptr};
  if (!IsElementwise(ir, op) || ir.Operands(op).size() != 2) return kNone;
  const MlirBlock body = ir.Body(op);
  const MlirOperation end = ir.Terminator(body);
  if (ir.Operands(end).at(0).ptr != ir.api.mlirBlockGetArgument(body, 0).ptr) {
    return kNone;
  }
  const MlirOperation constant = ir.Definition(ir.Operands(op).at(0));
  if (!constant.ptr || ir.Name(constant) != "arith.constant") return kNone;
  const MlirAttribute value = ir.Attribute(constant, "value");
  if (!IsSplat(ir, value)) return kNone;
  // Complex numbers have no attribute that a constant could be made of.
  const MlirType element =
      ir.api.mlirShapedTypeGetElementType(ir.ResultTypes(constant).at(0));
  if (ir.api.mlirTypeIsAComplex(element)) return kNone;
  return ir.api.mlirDenseElementsAttrGetSplatValue(value);
}

}  // namespace

void FillWithConstants(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const MlirAttribute number = NumberOf(ir, op);
    if (!number.ptr) continue;
    const MlirValue target = ir.Operands(op).at(1);
    const MlirType array = ir.api.mlirValueGetType(target);
    const MlirOperation constant = ir.CreateBefore(
        op, "arith.constant", {}, {ir.api.mlirShapedTypeGetElementType(array)},
        {ir.Named("value", number)});
    const MlirOperation fill = ir.CreateBefore(
        op, "linalg.fill", {ir.Results(constant).at(0), target}, {array},
        {ir.Named("operandSegmentSizes", ir.Parse("array<i32: 1, 1>"))}, 1);
    const MlirBlock body = AddElementBody(ir, fill);
    ir.AppendTo(body, ir.api.mlirOperationGetLocation(op), "linalg.yield",
                {ir.api.mlirBlockGetArgument(body, 0)});
    ir.Replace(op, ir.Results(fill));
  }
}

}  // namespace iree_pjrt
