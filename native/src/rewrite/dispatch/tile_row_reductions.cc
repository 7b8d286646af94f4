// SPDX-License-Identifier: Apache-2.0
// Reductions of rows: sums, norms, softmax. IREE (3.11, 3.13) takes one vector
// of each of 8 rows at a time, and what is left of 100 elements in 4 turns of
// one: 10,000 variances in 300 us, maxima in 235. Of longer parts of fewer rows
// processors see what comes next, and what is left is a vector of its own: 215
// and 110. (Reductions with two results become scalar code either way.)
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "rewrite/dispatch/lowering_config.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// What is reduced at once: so many elements of so many rows.
struct RowTile {
  int64_t elements;
  int64_t rows;
};
constexpr RowTile kShort = {64, 4};
constexpr RowTile kLong = {128, 2};

// The operand whose elements are all reduced in their order; null without one.
MlirValue ReducedArray(const Ir& ir, MlirOperation op) {
  const std::vector<LoopList> maps = IndexingMaps(ir, op);
  const std::vector<MlirValue> operands = ir.Operands(op);
  const auto loops =
      static_cast<int64_t>(TileSizes(ir, op, kReducedVectors).size());
  const auto found = std::ranges::find(maps, AllLoops(loops));
  return found == maps.end()
             ? MlirValue{}
             : operands.at(static_cast<size_t>(found - maps.begin()));
}

// Whether only the last loop has vectors of what is reduced.
bool VectorsRunAlongRows(const std::vector<int64_t>& sizes) {
  return !sizes.empty() && sizes.back() > 1 &&
         std::ranges::none_of(sizes.begin(), sizes.end() - 1,
                              [](int64_t elements) { return elements > 1; });
}

// Whether vectors of rows are lines of what else is computed, as those of an
// outer product with the sums: fewer rows would make these shorter.
bool RowsAreLinesElsewhere(const Ir& ir,
                           const std::vector<MlirOperation>& tiled) {
  return std::ranges::any_of(tiled, [&](MlirOperation op) {
    const std::vector<int64_t> sizes = TileSizes(ir, op, kVectors);
    return sizes.size() > 1 && sizes.back() > 1;
  });
}

// Of several reductions of the same rows: LLVM takes what is left of a row
// apart into elements, and of more than these runs out of registers.
RowTile TileOfSeveral(int64_t length) {
  for (const RowTile& tile : {kLong, kShort, RowTile{32, 8}}) {
    const int64_t left = length % tile.elements;
    if (length >= tile.elements && 16 * left <= 9 * tile.elements) return tile;
  }
  return {16, 8};
}

void TileRowReduction(const Ir& ir, MlirOperation op) {
  std::vector<int64_t> sizes = TileSizes(ir, op, kReducedVectors);
  if (!VectorsRunAlongRows(sizes) || ir.Results(op).size() != 1) return;
  const MlirValue array = ReducedArray(ir, op);
  const auto type = array.ptr ? ArrayTypeOf(ir, array) : std::nullopt;
  if (!type) return;
  const int64_t length = type->shape.back();
  const std::vector<MlirOperation> tiled = TiledWith(ir, op);
  const RowTile tile = std::ranges::count_if(tiled,
                                             [&](MlirOperation other) {
                                               return IsReduction(ir, other);
                                             }) > 1
                           ? TileOfSeveral(length)
                           : (length < kLong.elements ? kShort : kLong);
  if (sizes.back() >= std::min(length, tile.elements)) return;
  if (RowsAreLinesElsewhere(ir, tiled)) return;
  sizes.back() = tile.elements;
  SetTileSizes(ir, op, kReducedVectors, sizes);
  for (const MlirOperation other : tiled) {
    LimitTileSizes(ir, other, kVectors, tile.rows);
  }
}

}  // namespace

void TileRowReductions(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsReduction(ir, op)) TileRowReduction(ir, op);
  }
}

}  // namespace iree_pjrt
