// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 groups the operations that run together, but ignores what the
// region of a loop or a conditional uses from outside. An operation that
// computes such a value can end in one group with operations that need the
// loop's results ("circular dependency"), or with one that overwrites the value
// after the loop has read it. The same can happen to the values that a loop
// starts from, if others use them too. A region with a side effect separates
// what comes before it from what comes after it.
//
// IREE also copies operations that need no arrays into each group that uses
// them, but forgets the groups after such a region ("to be in an execution
// region"). A barrier keeps such an operation in one place.
#include <algorithm>
#include <set>

#include "rewrite/stream/passes.h"

namespace iree_pjrt {
namespace {

bool IsArray(const Ir& ir, MlirValue value) {
  return ir.Print(ir.api.mlirValueGetType(value))
      .starts_with("!stream.resource");
}

bool NeedsNoArrays(const Ir& ir, MlirOperation op) {
  const std::vector<MlirValue> operands = ir.Operands(op);
  const std::string_view name = ir.Name(op);
  return (name == "stream.async.dispatch" || name == "stream.async.splat") &&
         std::none_of(operands.begin(), operands.end(),
                      [&](MlirValue operand) { return IsArray(ir, operand); });
}

// Whether `op` is a loop that starts from this operand, and others use what is
// computed together with the operand.
bool StartsFromShared(const Ir& ir, MlirOperation op, MlirValue operand) {
  if (ir.Name(op) != "scf.for" && ir.Name(op) != "scf.while") return false;
  const MlirOperation source = ir.Definition(operand);
  if (!source.ptr) return false;
  return std::ranges::any_of(ir.Results(source), [&](MlirValue result) {
    return std::ranges::any_of(ir.Uses(result), [&](const Use& use) {
      return use.user.ptr != op.ptr;
    });
  });
}

// The loop or conditional that separates what comes before it from what comes
// after it, because `op`, which is in it or is it, has this operand; null if
// none does.
MlirOperation Parting(const Ir& ir, MlirOperation op, MlirValue operand) {
  if (!IsArray(ir, operand)) return {nullptr};
  if (StartsFromShared(ir, op, operand)) return op;
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
      const MlirOperation around = Parting(ir, op, operand);
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
