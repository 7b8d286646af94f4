// SPDX-License-Identifier: Apache-2.0
// What scatters and sorts write into. IREE 3.11 moves a constant, a slice of
// another array, or a transposition, into the dispatch, where what a scatter
// does not write is never written, or has it write into the constant itself,
// for all later calls. One number in all places becomes a splat; other
// constants are kept by a use afterwards, as inputs are (keep_inputs.cc): IREE
// then copies them first. What else a scatter writes into is computed behind a
// barrier.
#include "rewrite/rewrites.h"
#include "rewrite/scalar_builder.h"

namespace iree_pjrt {
namespace {

constexpr std::string_view kSplat = "dense<";

// The number that a constant holds in all places, as text; empty if there is
// none.
std::string SplatOf(const Ir& ir, MlirAttribute value) {
  const std::string text = ir.Print(value);
  if (!text.starts_with(kSplat)) return {};
  const char first = text.at(kSplat.size());
  if (first == '[' || first == '>' || first == '"') return {};
  return text.substr(kSplat.size(), text.find('>') - kSplat.size());
}

MlirValue MakeNumber(const Ir& ir, MlirOperation before,
                     const std::string& number, MlirType type) {
  const std::string element = ir.Print(type);
  if (element == "i1") {
    return ScalarBuilder(ir, before, type)
        .Constant(number == "true" ? "1" : "0");
  }
  if (!number.starts_with("(")) {
    return ScalarBuilder(ir, before, type).Constant(number);
  }
  // `(1.0,2.0)` of `complex<f32>`
  const ScalarBuilder part(ir, before,
                           ir.ParseType(element.substr(8, element.size() - 9)));
  const size_t comma = number.find(',');
  const MlirOperation whole = ir.CreateBefore(
      before, "complex.create",
      {part.Constant(number.substr(1, comma - 1)),
       part.Constant(number.substr(comma + 1, number.size() - comma - 2))},
      {type}, {});
  return ir.api.mlirOperationGetResult(whole, 0);
}

MlirOperation Splat(const Ir& ir, MlirOperation before,
                    const std::string& number, MlirType type) {
  const MlirType element = ir.api.mlirShapedTypeGetElementType(type);
  return ir.CreateBefore(before, "flow.tensor.splat",
                         {MakeNumber(ir, before, number, element)}, {type}, {});
}

MlirOperation Kept(const Ir& ir, MlirOperation op, MlirValue constant,
                   MlirType type) {
  const MlirOperation barrier =
      ir.CreateBefore(op, "util.optimization_barrier", {constant}, {type}, {});
  ir.CreateBefore(ir.Terminator(ir.api.mlirOperationGetBlock(op)),
                  "util.optimization_barrier",
                  {ir.api.mlirOperationGetResult(barrier, 0)}, {type}, {});
  return barrier;
}

bool IsScatter(const Ir& ir, MlirOperation op) {
  return ir.Name(op) == "iree_linalg_ext.scatter";
}

// What makes the target another value for `op` alone; null if it may stay.
MlirOperation Freed(const Ir& ir, MlirOperation op, MlirValue target) {
  const MlirType type = ir.api.mlirValueGetType(target);
  const MlirOperation owner = ir.Definition(target);
  if (!owner.ptr) return owner;
  if (ir.Name(owner) == "arith.constant") {
    const std::string splat = SplatOf(ir, ir.Attribute(owner, "value"));
    return splat.empty() ? Kept(ir, op, target, type)
                         : Splat(ir, op, splat, type);
  }
  if (!IsScatter(ir, op) || IsScatter(ir, owner)) return {nullptr};
  return ir.CreateBefore(op, "util.optimization_barrier", {target}, {type}, {});
}

// The operand `i`, which `op` writes into.
void Free(const Ir& ir, MlirOperation op, intptr_t i) {
  const MlirOperation freed =
      Freed(ir, op, ir.api.mlirOperationGetOperand(op, i));
  if (!freed.ptr) return;
  ir.api.mlirOperationSetOperand(op, i,
                                 ir.api.mlirOperationGetResult(freed, 0));
}

}  // namespace

void FreeTargets(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const bool sort = ir.Name(op) == "iree_linalg_ext.sort";
    if (!sort && !IsScatter(ir, op)) continue;
    const intptr_t count = ir.api.mlirOperationGetNumOperands(op);
    for (intptr_t i = sort ? 0 : count - 1; i < count; ++i) Free(ir, op, i);
  }
}

}  // namespace iree_pjrt
