// SPDX-License-Identifier: Apache-2.0
// Padding between elements, of what is padded: IREE (3.13) makes one step of
// the two, and forgets that the second one also spreads what the first one
// added. A barrier keeps them apart, also where either may be in a function.
// (What follows such padding: linalg/guard_strided_inserts.cc.)
#include <algorithm>
#include <set>
#include <string>

#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/padding.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

bool PadsBetween(const Ir& ir, MlirOperation op) {
  if (StablehloName(ir.Name(op)) != "pad") return false;
  return std::ranges::any_of(ReadPadding(ir, op).interior,
                             [](int64_t n) { return n != 0; });
}

void Separate(const Ir& ir, MlirValue padded) {
  const MlirOperation op = ir.Definition(padded);
  if (op.ptr && (StablehloName(ir.Name(op)) == "pad" || IsCall(ir.Name(op)))) {
    ir.PutBehindBarrier(padded);
  }
}

}  // namespace

void SeparatePads(const Ir& ir) {
  // Functions that pad between elements of what they are given.
  std::set<std::string> padding;
  for (const MlirOperation op : ir.AllOperations()) {
    if (!PadsBetween(ir, op)) continue;
    const MlirValue padded = ir.Operands(op).at(0);
    Separate(ir, padded);
    if (ir.Definition(padded).ptr) continue;
    const MlirOperation function =
        ir.api.mlirBlockGetParentOperation(ir.HomeOf(padded));
    padding.insert(ir.StringAttribute(function, "sym_name"));
  }
  for (const MlirOperation op : ir.AllOperations()) {
    if (!IsCall(ir.Name(op)) ||
        !padding.contains(ir.StringAttribute(op, "callee")))
      continue;
    for (const MlirValue operand : ir.Operands(op)) Separate(ir, operand);
  }
}

}  // namespace iree_pjrt
