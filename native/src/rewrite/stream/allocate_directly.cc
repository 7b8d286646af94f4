// SPDX-License-Identifier: Apache-2.0
// IREE allocates the results of what is run together as one, and hands out
// parts of it. Whoever keeps one of them would keep all, so that all but the
// first had to be copied: after a training step, the parameters and all that
// the optimizer knows of them. The pass gives each its own memory.
//
// IREE allocates in the order of the queue. On CPUs an allocation has nothing
// to wait for there but its fences, so the pass does it without the queue. Not
// in loops, whose turns would allocate long before they are run.
#include <algorithm>

#include "rewrite/stream/passes.h"
#include "rewrite/stream/timepoints.h"

namespace iree_pjrt {
namespace {

// Memory of that size, from now on.
MlirValue Allocate(const Ir& ir, MlirOperation alloca, MlirValue size) {
  std::vector<MlirNamedAttribute> attributes = {
      ir.Named("uninitialized", ir.Parse("unit"))};
  if (const auto affinity = ir.Attribute(alloca, "affinity"); affinity.ptr) {
    attributes.push_back(ir.Named("affinity", affinity));
  }
  const MlirOperation own =
      ir.CreateBefore(alloca, "stream.resource.alloc", {size},
                      {ir.ResultTypes(alloca)[0]}, attributes);
  return ir.api.mlirOperationGetResult(own, 0);
}

// Every part of it gets memory of its own; false if more than parts of it is
// used.
bool AllocateParts(const Ir& ir, MlirOperation alloca, MlirValue whole) {
  const std::vector<Use> uses = ir.Uses(whole);
  const bool parts = std::ranges::all_of(uses, [&](const Use& use) {
    return ir.Name(use.user) == "stream.resource.subview";
  });
  if (!parts) return false;
  for (const Use& use : uses) {
    // The operands: the whole, its size, where the part is, and its size.
    const MlirValue size = ir.api.mlirOperationGetOperand(use.user, 3);
    ir.Replace(use.user, {Allocate(ir, alloca, size)});
  }
  return true;
}

}  // namespace

void AllocateDirectly(const Ir& ir) {
  for (const MlirOperation op : ir.OperationsOf(ir.Body(ir.Function("main")))) {
    if (ir.Name(op) != "stream.resource.alloca") continue;
    const std::vector<MlirValue> results = ir.Results(op);
    // The operands: the size and, if it has to wait, for what.
    ir.SetUses(ir.Uses(results[1]), AwaitedBy(ir, op, 1));
    if (!AllocateParts(ir, op, results[0])) {
      const MlirValue size = ir.api.mlirOperationGetOperand(op, 0);
      ir.SetUses(ir.Uses(results[0]), Allocate(ir, op, size));
    }
    ir.api.mlirOperationDestroy(op);
  }
}

}  // namespace iree_pjrt
