// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 groups what is run together without regard for what the region of a
// loop or a conditional uses from outside: what computes such a value can get
// into one group with what needs the loop's results ("circular dependency"), or
// with what writes into the value after the loop has read it. A region with a
// side effect parts what is before it from what is after it.
//
// And it copies what needs no arrays to the groups that use it, but forgets
// those that come after such a region ("to be in an execution region"). What
// goes through a barrier stays in one place.
#include <algorithm>
#include <set>

#include "rewrite/rewrites.h"

namespace iree_pjrt {
namespace {

bool IsArray(const Ir& ir, MlirValue value) {
  return ir.Print(ir.api.mlirValueGetType(value))
      .starts_with("!stream.resource");
}

bool NeedsNoArrays(const Ir& ir, MlirOperation op) {
  const std::vector<MlirValue> operands = ir.Operands(op);
  return ir.Name(op) == "stream.async.dispatch" &&
         std::none_of(operands.begin(), operands.end(),
                      [&](MlirValue operand) { return IsArray(ir, operand); });
}

// The loop or conditional around the operation that gets this operand, an
// array, from outside; or null.
MlirOperation Capturing(const Ir& ir, MlirOperation op, MlirValue operand) {
  if (!IsArray(ir, operand)) return {nullptr};
  const MlirOperation around = ir.AncestorIn(ir.HomeOf(operand), op);
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
      if (!around.ptr) continue;
      const MlirOperation source = ir.Definition(operand);
      if (source.ptr && NeedsNoArrays(ir, source)) ir.PutBehindBarrier(operand);
      if (!pinned.insert(around.ptr).second) continue;
      ir.CreateBefore(ir.Terminator(ir.Body(around)),
                      "util.optimization_barrier", {}, {}, {});
    }
  }
}

}  // namespace iree_pjrt
