// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 groups what is run together without regard for what the region of a
// loop or a conditional uses from outside: what computes such a value can get
// into one group with what needs the loop's results ("circular dependency"). A
// region with a side effect parts what is before it from what is after it.
#include <set>

#include "rewrite/rewrites.h"

namespace iree_pjrt {
namespace {

// The operation in this block that the one further inside belongs to.
MlirOperation In(const Ir& ir, MlirBlock block, MlirOperation inside) {
  while (inside.ptr && ir.api.mlirOperationGetBlock(inside).ptr != block.ptr) {
    inside = ir.api.mlirOperationGetParentOperation(inside);
  }
  return inside;
}

// The loop or conditional around the operation that gets this operand from
// outside, computed by the stream dialect; or null.
MlirOperation Capturing(const Ir& ir, MlirOperation op, MlirValue operand) {
  const MlirOperation source = ir.Definition(operand);
  if (!source.ptr || !ir.Name(source).starts_with("stream.")) return {nullptr};
  const MlirOperation around = In(ir, ir.api.mlirOperationGetBlock(source), op);
  const bool captures =
      around.ptr && around.ptr != op.ptr && ir.Name(around).starts_with("scf.");
  return captures ? around : MlirOperation{nullptr};
}

}  // namespace

void PinCapturedValues(const Ir& ir) {
  std::set<void*> pinned;
  for (const MlirOperation op : ir.AllOperations()) {
    for (const MlirValue operand : ir.Operands(op)) {
      const MlirOperation around = Capturing(ir, op, operand);
      if (!around.ptr || !pinned.insert(around.ptr).second) continue;
      ir.CreateBefore(ir.Terminator(ir.Body(around)),
                      "util.optimization_barrier", {}, {}, {});
    }
  }
}

}  // namespace iree_pjrt
