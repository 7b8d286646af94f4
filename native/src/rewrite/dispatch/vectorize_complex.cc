// SPDX-License-Identifier: Apache-2.0
// Complex numbers. IREE (3.11, 3.13) makes no vectors of them, and keeps LLVM
// from doing so: one number after another. LLVM does well by itself; only where
// there are complex numbers, since it takes its time.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "mlir/generics.h"
#include "rewrite/dispatch/executable_target.h"
#include "rewrite/dispatch/lowering_config.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// What packs the numbers as well, for a product, has tiles that go with its
// own.
bool HasOwnTiles(const Ir& ir, MlirOperation op) {
  return std::ranges::all_of(TiledWith(ir, op), [&](MlirOperation tiled) {
    return IsElementwise(ir, tiled);
  });
}

}  // namespace

void VectorizeComplex(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!ir.Name(op).starts_with("linalg.") || !HasComplexOperand(ir, op)) {
      continue;
    }
    SetTargetOption(ir, "loop_vectorization", "true");
    std::vector<int64_t> vectors = TileSizes(ir, op, kVectors);
    if (vectors.empty() || !HasOwnTiles(ir, op)) continue;
    // One loop along all of a part: a short one becomes no vector.
    std::ranges::fill(vectors, 1);
    SetTileSizes(ir, op, kVectors, vectors);
  }
}

}  // namespace iree_pjrt
