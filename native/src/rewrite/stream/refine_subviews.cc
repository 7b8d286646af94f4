// SPDX-License-Identifier: Apache-2.0
// Slices that loops carry become views of a part of memory. IREE determines for
// every other value how its memory is used, and forgets these views ("illegal
// for this phase of lowering"). The pass gives a view the usage of its memory.
// IREE 3.13 also casts what a program hands out to the usage that it has there,
// and refuses to cast a view ("unresolved async.cast"): the pass casts the
// whole, and takes the view of that.
#include "rewrite/stream/passes.h"

namespace iree_pjrt {
namespace {

constexpr std::string_view kView = "stream.resource.subview";
constexpr std::string_view kCast = "stream.async.cast";

bool IsRefined(const Ir& ir, MlirType type) {
  return ir.Print(type) != "!stream.resource<*>";
}

// Makes a view of a cast of the cast of a view; returns the new cast.
MlirOperation CastTheWhole(const Ir& ir, MlirOperation cast,
                           MlirOperation view) {
  std::vector<MlirValue> operands = ir.Operands(view);
  const MlirValue size = operands[1];
  std::vector<MlirNamedAttribute> attributes;
  if (const auto affinity = ir.Attribute(cast, "affinity"); affinity.ptr) {
    attributes.push_back(ir.Named("affinity", affinity));
  }
  const std::vector<MlirType> type = ir.ResultTypes(cast);
  const MlirOperation whole =
      ir.CreateBefore(cast, kCast, {operands[0], size, size}, type, attributes);
  operands[0] = ir.api.mlirOperationGetResult(whole, 0);
  const MlirOperation part = ir.CreateBefore(cast, kView, operands, type, {});
  ir.Replace(cast, {ir.api.mlirOperationGetResult(part, 0)});
  return whole;
}

}  // namespace

void RefineSubviews(const Ir& ir) {
  for (MlirOperation op : ir.AllOperations()) {
    while (ir.Name(op) == kCast) {
      const MlirOperation view =
          ir.Definition(ir.api.mlirOperationGetOperand(op, 0));
      if (!view.ptr || ir.Name(view) != kView) break;
      op = CastTheWhole(ir, op, view);
    }
  }
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != kView) continue;
    const MlirType whole =
        ir.api.mlirValueGetType(ir.api.mlirOperationGetOperand(op, 0));
    const MlirValue view = ir.api.mlirOperationGetResult(op, 0);
    if (IsRefined(ir, whole)) ir.api.mlirValueSetType(view, whole);
  }
}

}  // namespace iree_pjrt
