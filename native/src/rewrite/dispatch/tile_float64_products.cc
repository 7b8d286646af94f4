// SPDX-License-Identifier: Apache-2.0
// Products of float64 arrays that are not packed (pack_float64_products.cc),
// with AVX-512. IREE (3.11, 3.13) wants tiles of 8 rows and 32 columns, and
// halves them until they are of 128 bytes, 4 by 4: 256 cubed takes 0.65 ms. The
// 32 registers hold 8 by 16 and what is multiplied: 0.22.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/generics.h"
#include "rewrite/dispatch/executable_target.h"
#include "rewrite/dispatch/lowering_config.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

constexpr int64_t kChosen = 4;
constexpr int64_t kRows = 8;
constexpr int64_t kMostColumns = 16;
constexpr int64_t kReduced = 4;

bool IsProduct(const Ir& ir, MlirOperation op) {
  const std::string_view name = ir.Name(op);
  return name == "linalg.matmul" || name == "linalg.batch_matmul" ||
         IsContraction(ir, op);
}

bool IsOfFloat64(const Ir& ir, MlirOperation op) {
  const MlirType type = ResultTypeOf(ir, op);
  return type.ptr && ir.api.mlirTypeIsAShaped(type) &&
         ir.Print(ir.api.mlirShapedTypeGetElementType(type)) == "f64";
}

// The tiles of the last two dimensions of a result, where they are those that
// IREE chooses and larger ones fill up what a worker takes.
std::vector<int64_t> LargerTiles(const Ir& ir, MlirOperation product) {
  std::vector<int64_t> vectors = TileSizes(ir, product, kVectors);
  const std::vector<int64_t> parts = TileSizes(ir, product, kDistribution);
  const auto rank = static_cast<size_t>(
      ir.api.mlirShapedTypeGetRank(ResultTypeOf(ir, product)));
  if (rank < 2 || vectors.size() != rank + 1 ||
      parts.size() != vectors.size()) {
    return {};
  }
  int64_t& rows = vectors[rank - 2];
  int64_t& columns = vectors[rank - 1];
  if (rows != kChosen || columns != kChosen) return {};
  const auto fill = [](int64_t& tile, int64_t most, int64_t part) {
    while (tile < most && part > 0 && part % (2 * tile) == 0) tile *= 2;
  };
  fill(rows, kRows, parts[rank - 2]);
  fill(columns, kMostColumns, parts[rank - 1]);
  return {vectors.begin(), vectors.begin() + static_cast<int64_t>(rank)};
}

void Tile(const Ir& ir, MlirOperation product) {
  const std::vector<int64_t> tiles = LargerTiles(ir, product);
  if (tiles.empty() || !TiledAs(ir, product)) return;
  for (const MlirOperation op : TiledWith(ir, product)) {
    std::vector<int64_t> vectors = TileSizes(ir, op, kVectors);
    std::ranges::copy(tiles, vectors.begin());
    SetTileSizes(ir, op, kVectors, vectors);
    LimitTileSizes(ir, op, kReducedVectors, kReduced);
  }
}

}  // namespace

void TileFloat64Products(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsProduct(ir, op) && IsOfFloat64(ir, op) &&
        TargetHas(ir, op, "avx512f")) {
      Tile(ir, op);
    }
  }
}

}  // namespace iree_pjrt
