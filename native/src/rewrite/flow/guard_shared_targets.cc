// SPDX-License-Identifier: Apache-2.0
// Arrays that several updates write into, as two concatenations that begin
// alike. IREE 3.11 and 3.13 merge their beginnings, and then lose a copy: one
// of the results is never written. Each update but the first gets a beginning
// of its own, of what is behind a barrier so that they stay apart.
#include <set>
#include <vector>

#include "rewrite/flow/passes.h"

namespace iree_pjrt {
namespace {

constexpr std::string_view kUpdate = "flow.tensor.update";

// The operand of an update that is written into the first.
intptr_t Written(const Ir& ir, MlirOperation update) {
  const std::vector<MlirValue> operands = ir.Operands(update);
  size_t last = operands.size() - 1;
  while (!ir.IsArray(operands.at(last))) --last;
  return static_cast<intptr_t>(last);
}

}  // namespace

void GuardSharedTargets(const Ir& ir) {
  std::set<const void*> targets;
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != kUpdate) continue;
    const MlirValue target = ir.Operands(op).at(0);
    const MlirOperation made = ir.Definition(target);
    if (!made.ptr || ir.Name(made) != kUpdate) continue;
    if (targets.insert(target.ptr).second) continue;
    const MlirOperation own = ir.CloneBefore(op, made);
    const intptr_t written = Written(ir, own);
    ir.api.mlirOperationSetOperand(
        own, written,
        ir.Barrier(own, ir.api.mlirOperationGetOperand(own, written)));
    ir.api.mlirOperationSetOperand(op, 0,
                                   ir.api.mlirOperationGetResult(own, 0));
  }
}

}  // namespace iree_pjrt
