// SPDX-License-Identifier: Apache-2.0
// Reductions of columns: sums of a batch, norms of the channels of an image.
// IREE (3.11, 3.13) gives 16 columns to 8 workers, who read two numbers of each
// row: 3,000 rows in 60 us. Of whole vectors one worker needs 10. And it gives
// each a square of 25 lines and 25 columns, which is read here and there.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "rewrite/dispatch/lowering_config.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// Of float32 a register of AVX-512, or two of AVX2.
constexpr int64_t kColumns = 16;

// The innermost loop that all of a dispatch has, as its sizes say.
size_t LastTiled(const std::vector<int64_t>& sizes) {
  const auto last = std::ranges::find_if(sizes.rbegin(), sizes.rend(),
                                         [](int64_t size) { return size > 0; });
  return static_cast<size_t>(sizes.rend() - last) - 1;
}

// Whether that loop has this size in all that is tiled with the operation.
bool AllHave(const Ir& ir, const std::vector<MlirOperation>& tiled,
             int64_t size) {
  return std::ranges::all_of(tiled, [&](MlirOperation op) {
    const std::vector<int64_t> sizes = TileSizes(ir, op, kVectors);
    const size_t last = LastTiled(sizes);
    return last < sizes.size() && sizes[last] == size;
  });
}

// How many columns there are, if the last loop of the result runs along them,
// and their elements lie side by side; 0 otherwise.
int64_t ColumnsOf(const Ir& ir, MlirOperation op, size_t loop) {
  const std::vector<LoopList> maps = IndexingMaps(ir, op);
  const auto along = static_cast<int64_t>(loop);
  if (maps.back().empty() || maps.back().back() != along) return 0;
  const bool side_by_side = std::ranges::all_of(maps, [&](const LoopList& map) {
    const auto found = std::ranges::find(map, along);
    return found == map.end() || found + 1 == map.end();
  });
  const auto type = ArrayTypeOf(ir, ir.Results(op).at(0));
  return side_by_side && type ? type->shape.back() : 0;
}

// Vectors of this many columns in all that is tiled with the operation.
void SetColumns(const Ir& ir, const std::vector<MlirOperation>& tiled,
                int64_t columns) {
  for (const MlirOperation op : tiled) {
    std::vector<int64_t> vectors = TileSizes(ir, op, kVectors);
    vectors[LastTiled(vectors)] = columns;
    SetTileSizes(ir, op, kVectors, vectors);
  }
}

// Parts of whole vectors; of whole lines where a part has as many columns of
// several lines, as memory is read faster in its order.
void Distribute(const Ir& ir, MlirOperation op, size_t loop, int64_t columns,
                int64_t all) {
  std::vector<int64_t> parts = TileSizes(ir, op, kDistribution);
  if (parts.size() <= loop) return;
  parts[loop] = UpToWhole(parts[loop], columns);
  if (loop > 0 && parts[loop - 1] * parts[loop] >= all) {
    parts[loop - 1] = parts[loop - 1] * parts[loop] / all;
    parts[loop] = all;
  }
  SetTileSizes(ir, op, kDistribution, parts);
}

void TileColumnReduction(const Ir& ir, MlirOperation op) {
  const std::vector<int64_t> sizes = TileSizes(ir, op, kVectors);
  const size_t loop = LastTiled(sizes);
  if (loop >= sizes.size()) return;
  const std::vector<MlirOperation> tiled = TiledWith(ir, op);
  const int64_t all = ColumnsOf(ir, op, loop);
  const int64_t columns = std::min(kColumns, all);
  if (all == 0 || !AllHave(ir, tiled, sizes[loop])) return;
  if (sizes[loop] < columns) SetColumns(ir, tiled, columns);
  Distribute(ir, op, loop, std::max(sizes[loop], columns), all);
}

}  // namespace

void TileColumnReductions(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsReduction(ir, op)) TileColumnReduction(ir, op);
  }
}

}  // namespace iree_pjrt
