// SPDX-License-Identifier: Apache-2.0
// Sums of negative terms, as gradients of differences are: IREE (3.11, 3.13)
// subtracts the terms, takes that for no sum, and makes scalar code of it (4096
// rows of 256 in 350 us, their sums in 115). The pass adds what it makes of the
// terms, in a form that does not become a subtraction again. (On GPUs it is no
// question of speed: sources/turn_reductions.cc.)
#include <cstdint>
#include <string>
#include <vector>

#include "mlir/generics.h"
#include "mlir/scalar_builder.h"
#include "rewrite/flow/passes.h"

namespace iree_pjrt {
namespace {

// Right before `before`.
MlirValue NegativeOf(const Ir& ir, MlirOperation before, MlirValue term) {
  const MlirType type = ir.api.mlirValueGetType(term);
  const ScalarBuilder numbers(ir, before, type);
  if (ir.api.mlirTypeIsAInteger(type)) {
    const MlirValue inverted =
        numbers.Apply("arith.xori", {term, numbers.Constant(-1)});
    return numbers.Apply("arith.addi", {inverted, numbers.Constant(1)});
  }
  // bf16, f64
  const std::string name = ir.Print(type);
  const int width = std::stoi(name.substr(name.find_first_of("123456789")));
  const ScalarBuilder bits(ir, before,
                           ir.ParseType("i" + std::to_string(width)));
  const MlirValue sign = bits.Constant(INT64_MIN >> (64 - width));
  return numbers.Bitcast(bits.Apply("arith.xori", {bits.Bitcast(term), sign}));
}

void AddTerms(const Ir& ir, MlirOperation reduction) {
  const MlirBlock body = ir.Body(reduction);
  const MlirOperation yield = ir.Terminator(body);
  const std::vector<MlirValue> sums = ir.Operands(yield);
  const intptr_t inputs = ir.api.mlirBlockGetNumArguments(body) -
                          static_cast<intptr_t>(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    const MlirOperation subtract = ir.Definition(sums[i]);
    if (!subtract.ptr) continue;
    const bool floats = ir.Name(subtract) == "arith.subf";
    if (!floats && ir.Name(subtract) != "arith.subi") continue;
    const MlirValue sum =
        ir.api.mlirBlockGetArgument(body, inputs + static_cast<intptr_t>(i));
    const std::vector<MlirValue> operands = ir.Operands(subtract);
    if (operands[0].ptr != sum.ptr || operands[1].ptr == sum.ptr) continue;
    const ScalarBuilder builder(ir, subtract);
    ir.Replace(subtract,
               {builder.Apply(floats ? "arith.addf" : "arith.addi",
                              {sum, NegativeOf(ir, subtract, operands[1])})});
  }
}

}  // namespace

void AddNegativeTerms(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsReduction(ir, op)) AddTerms(ir, op);
  }
}

}  // namespace iree_pjrt
