// SPDX-License-Identifier: Apache-2.0
// Complex numbers of 128 bits that fill an array. IREE 3.11 and 3.13 fill
// memory with numbers of at most 64 bits ("no builtin for bit width 128"): they
// compile neither zeros of complex128 nor what is padded with them. The pass
// makes such constants of their parts, one of them behind a barrier so that
// they stay in parts, and pads the parts.
//
// What a reduction begins with is no array, and stays.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

constexpr std::array<std::string_view, 7> kReductions = {
    "reduce", "reduce_window", "select_and_scatter", "scatter",
    "sort",   "map",           "all_reduce"};

bool IsReduction(const Ir& ir, MlirOperation op) {
  return std::ranges::find(kReductions, StablehloName(ir.Name(op))) !=
         kReductions.end();
}

bool IsComplex128(const Ir& ir, MlirValue value) {
  const std::optional<ArrayType> type = ArrayTypeOf(ir, value);
  return type && type->Element() == "complex<f64>";
}

void SplitConstant(const Ir& ir, MlirOperation op) {
  if (IsReduction(ir, ir.api.mlirOperationGetParentOperation(op))) return;
  const MlirValue constant = ir.Results(op)[0];
  std::vector<Use> uses = ir.Uses(constant);
  std::erase_if(uses,
                [&](const Use& use) { return IsReduction(ir, use.user); });
  if (uses.empty()) return;
  const StablehloBuilder after(ir, ir.api.mlirOperationGetNextInBlock(op), op);
  const MlirValue real = after.Part("real", constant);
  const MlirValue imaginary = after.Part("imag", constant);
  ir.SetUses(uses, after.Complex(real, imaginary));
  ir.PutBehindBarrier(real);
}

void SplitPad(const Ir& ir, MlirOperation op) {
  const StablehloBuilder builder(ir, op);
  const std::vector<MlirValue> operands = ir.Operands(op);
  const MlirType part = builder.Type(builder.ShapeOf(ir.Results(op)[0]), "f64");
  std::vector<MlirValue> parts;
  for (const char* name : {"real", "imag"}) {
    const MlirOperation pad = ir.CloneBefore(op, op);
    for (size_t i = 0; i < operands.size(); ++i) {
      ir.api.mlirOperationSetOperand(
          pad, static_cast<intptr_t>(i),
          StablehloBuilder(ir, pad).Part(name, operands[i]));
    }
    parts.push_back(ir.Results(pad)[0]);
    ir.api.mlirValueSetType(parts.back(), part);
  }
  ir.Replace(op, {builder.Complex(parts[0], parts[1])});
}

}  // namespace

void SplitComplex128(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view name = StablehloName(ir.Name(op));
    if ((name != "constant" && name != "pad") ||
        !IsComplex128(ir, ir.Results(op)[0])) {
      continue;
    }
    name == "pad" ? SplitPad(ir, op) : SplitConstant(ir, op);
  }
}

}  // namespace iree_pjrt
