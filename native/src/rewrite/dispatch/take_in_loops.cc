// SPDX-License-Identifier: Apache-2.0
// Elements that are taken from the last to the first, or with steps between
// them, and with AVX-512 those of up to 16 bits by index. IREE (3.11, 3.13)
// gathers vectors of them: processors do so one by one, and narrow ones not at
// all. LLVM turns vectors around, or puts them together of vectors that it
// reads side by side, and takes narrow elements faster, of loops that are still
// loops: half of the time. Of others it makes slower code than IREE: of narrow
// ones with AVX2, of rows, and of bfloat16 that is selected.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "mlir/generics.h"
#include "mlir/slices.h"
#include "rewrite/dispatch/executable_target.h"
#include "rewrite/dispatch/lowering_config.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// Whether the index counts down where the loop counts up.
bool CountsDown(const Ir& ir, MlirValue index, int64_t loop) {
  const MlirOperation op = ir.Definition(index);
  if (!op.ptr || ir.Name(op) != "arith.subi") return false;
  const std::vector<MlirValue> operands = ir.Operands(op);
  const MlirOperation from = ir.Definition(operands[0]);
  return from.ptr && ir.Name(from) == "arith.constant" &&
         LoopOf(ir, operands[1]) == loop;
}

// Whether the processor gathers no such elements, which do not lie side by side
// where the loop `along` turns.
bool IsNarrowByIndex(const Ir& ir, MlirOperation extract, int64_t along) {
  const MlirValue element = ir.Results(extract).at(0);
  const MlirType type = ir.api.mlirValueGetType(element);
  if (!IsNarrow(ir, type) || !TargetHas(ir, extract, "avx512f") ||
      LoopOf(ir, ir.Operands(extract).back()) == along) {
    return false;
  }
  return ir.Print(type) != "bf16" ||
         std::ranges::all_of(ir.Uses(element), [&](const Use& use) {
           return ir.Name(use.user) == "linalg.yield";
         });
}

// Whether its last loop reads an array with steps between the elements.
bool ReadsSteps(const Ir& ir, MlirOperation op) {
  return std::ranges::any_of(ir.Operands(op), [&](MlirValue input) {
    MlirOperation part = ir.Definition(input);
    if (part.ptr && ir.Name(part) == "iree_codegen.load_from_buffer") {
      part = ir.Definition(ir.Operands(part)[0]);
    }
    return part.ptr && StepsAlongRows(ir, part);
  });
}

// Whether all elements that it takes are narrow, or in the opposite order of
// its last loop.
bool IsFasterInLoops(const Ir& ir, MlirOperation op) {
  if (!IsElementwise(ir, op)) return false;
  if (ReadsSteps(ir, op)) return true;
  std::vector<MlirOperation> taken = ir.OperationsOf(ir.Body(op));
  std::erase_if(taken, [&](MlirOperation inner) {
    return ir.Name(inner) != "tensor.extract";
  });
  if (taken.empty()) return false;
  const LoopList results = IndexingMaps(ir, op).back();
  return !results.empty() &&
         std::ranges::all_of(taken, [&](MlirOperation extract) {
           return IsNarrowByIndex(ir, extract, results.back()) ||
                  CountsDown(ir, ir.Operands(extract).back(), results.back());
         });
}

}  // namespace

void TakeInLoops(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!IsFasterInLoops(ir, op)) continue;
    std::vector<int64_t> vectors = TileSizes(ir, op, kVectors);
    if (vectors.empty()) continue;
    std::ranges::fill(vectors, 1);
    SetTileSizes(ir, op, kVectors, vectors);
    SetTargetOption(ir, "loop_vectorization", "true");
    // A short loop within hides the one around it from the vectorizer.
    SetTargetOption(ir, "loop_unrolling", "true");
  }
}

}  // namespace iree_pjrt
