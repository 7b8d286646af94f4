// SPDX-License-Identifier: Apache-2.0
// The arrays that scatters and sorts write into. IREE 3.11 moves a constant, a
// slice or a transposition that a scatter writes into inside the dispatch. Then
// elements that the scatter does not write are lost, or the scatter writes into
// the constant itself, for all later calls.
//
// A constant that is one number everywhere becomes a splat. Other constants get
// a use after the operation, as inputs do (keep_inputs.cc): IREE then copies
// them first. Any other array that a scatter writes into goes through a
// barrier. So does a slice that is sorted: if the slice has other uses, IREE
// refuses the dispatch of the sort ("write affecting operations").
#include "mlir/array_type.h"
#include "mlir/scalar_builder.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

constexpr std::string_view kSplat = "dense<";

// The number that a constant holds in all places, as text; empty if the numbers
// differ.
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
  const ScalarBuilder part(ir, before, ir.ParseType(ComplexPart(element)));
  const size_t comma = number.find(',');
  const MlirOperation whole = ir.CreateBefore(
      before, "complex.create",
      {part.Constant(number.substr(1, comma - 1)),
       part.Constant(number.substr(comma + 1, number.size() - comma - 2))},
      {type}, {});
  return ir.api.mlirOperationGetResult(whole, 0);
}

MlirValue Splat(const Ir& ir, MlirOperation before, const std::string& number,
                MlirType type) {
  const MlirType element = ir.api.mlirShapedTypeGetElementType(type);
  const MlirOperation splat =
      ir.CreateBefore(before, "flow.tensor.splat",
                      {MakeNumber(ir, before, number, element)}, {type}, {});
  return ir.api.mlirOperationGetResult(splat, 0);
}

MlirValue Kept(const Ir& ir, MlirOperation op, MlirValue constant) {
  const MlirValue barrier = ir.Barrier(op, constant);
  ir.Barrier(ir.Terminator(ir.api.mlirOperationGetBlock(op)), barrier);
  return barrier;
}

bool IsScatter(const Ir& ir, MlirOperation op) {
  return ir.Name(op) == "iree_linalg_ext.scatter";
}

// Frees operand `i` of `op`, a constant that `op` writes into.
void FreeConstant(const Ir& ir, MlirOperation op, intptr_t i,
                  MlirOperation constant) {
  const MlirValue target = ir.api.mlirOperationGetOperand(op, i);
  const MlirType type = ir.api.mlirValueGetType(target);
  const std::string splat = SplatOf(ir, ir.Attribute(constant, "value"));
  ir.api.mlirOperationSetOperand(
      op, i, splat.empty() ? Kept(ir, op, target) : Splat(ir, op, splat, type));
}

// Every user gets the value from behind the barrier: when IREE decides whether
// the scatter may write in place, it would not see a user in front of the
// barrier.
void FreeComputed(const Ir& ir, MlirValue target) {
  const MlirOperation source = ir.DefinitionBeforeReshapes(target);
  if (!source.ptr || IsScatter(ir, source) ||
      ir.Name(source) == "util.optimization_barrier") {
    return;
  }
  ir.PutBehindBarrier(ir.BeforeReshapes(target));
}

// IREE also moves a pad of a scatter's result into the dispatch of the scatter.
void KeepFromPad(const Ir& ir, MlirOperation pad) {
  const MlirValue padded = ir.api.mlirOperationGetOperand(pad, 0);
  const MlirOperation source = ir.DefinitionBeforeReshapes(padded);
  if (source.ptr && ir.Name(source).starts_with("iree_linalg_ext.")) {
    ir.PutBehindBarrier(ir.BeforeReshapes(padded));
  }
}

void Free(const Ir& ir, MlirOperation op, intptr_t i) {
  const MlirValue target = ir.api.mlirOperationGetOperand(op, i);
  const MlirOperation source = ir.DefinitionBeforeReshapes(target);
  if (source.ptr && ir.Name(source) == "arith.constant") {
    FreeConstant(ir, op, i, source);
  } else if (IsScatter(ir, op) ||
             (source.ptr && ir.Name(source) == "tensor.extract_slice")) {
    FreeComputed(ir, target);
  }
}

}  // namespace

void FreeTargets(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) == "tensor.pad") KeepFromPad(ir, op);
    const bool sort = ir.Name(op) == "iree_linalg_ext.sort";
    if (!sort && !IsScatter(ir, op)) continue;
    const intptr_t count = ir.api.mlirOperationGetNumOperands(op);
    for (intptr_t i = sort ? 0 : count - 1; i < count; ++i) Free(ir, op, i);
  }
}

}  // namespace iree_pjrt
