// SPDX-License-Identifier: Apache-2.0
// Arrays that a turn of a loop only reads, which IREE (3.11, 3.13) transfers to
// where they are as well (write_carried_in_place.cc): of each array that a
// loop carries a copy a turn. Nothing writes into them in the turn, so they are
// read where they are, whoever else has them.
#include <algorithm>

#include "mlir/tied_operands.h"
#include "rewrite/stream/passes.h"

namespace iree_pjrt {
namespace {

// Whether the value is what a loop hands its turn.
bool IsCarried(const Ir& ir, MlirValue value) {
  if (ir.Definition(value).ptr) return false;
  const MlirOperation loop =
      ir.api.mlirBlockGetParentOperation(ir.HomeOf(value));
  return loop.ptr &&
         (ir.Name(loop) == "scf.for" || ir.Name(loop) == "scf.while");
}

// Whether the operation reads arrays, and gives none of them back as a result.
bool OnlyReads(const Ir& ir, MlirOperation op) {
  if (ir.Name(op) != "stream.async.dispatch") return false;
  return std::ranges::none_of(TiedOperands(ir, op), [](const auto& operand) {
    return operand.has_value();
  });
}

}  // namespace

void ReadCarriedInPlace(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "stream.async.transfer") continue;
    const MlirValue carried = ir.Operands(op).at(0);
    const MlirValue read = ir.Results(op).at(0);
    if (IsCarried(ir, carried) &&
        ir.api.mlirTypeEqual(ir.api.mlirValueGetType(carried),
                             ir.api.mlirValueGetType(read)) &&
        std::ranges::all_of(ir.Uses(read), [&](const Use& use) {
          return OnlyReads(ir, use.user);
        })) {
      ir.Replace(op, {carried});
    }
  }
}

}  // namespace iree_pjrt
