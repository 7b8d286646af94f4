// SPDX-License-Identifier: Apache-2.0
// Convolutions whose results IREE (3.11, 3.13) computes by tiles that leave
// most registers empty: of arrays with one or three dimensions of space one
// place at a time (4 x 1000 x 64 by 3 to 64: 2.5 ms), of images whose width is
// odd as well, and of others 8 places of 16 features. The pass chooses as many
// places and features as the registers hold: 0.6 ms, a quarter, four fifths.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlir/generics.h"
#include "rewrite/dispatch/executable_target.h"
#include "rewrite/dispatch/lowering_config.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// Sums that are added to in turn, so that none waits for the one before.
constexpr double kSumsInFlight = 8;
constexpr int64_t kReducedFeatures = 8;

// What a processor's registers hold.
struct Registers {
  int64_t lanes;  // numbers of one register
  int64_t count;
};

std::optional<Registers> RegistersFor(const Ir& ir, MlirOperation op) {
  const MlirType type = ir.api.mlirValueGetType(ir.Results(op).at(0));
  const std::string element =
      ir.Print(ir.api.mlirShapedTypeGetElementType(type));
  if (!IsForX86(ir, op) || (element != "f32" && element != "f64")) {
    return std::nullopt;
  }
  const int64_t wider = element == "f64" ? 2 : 1;
  if (TargetHas(ir, op, "avx512f")) return Registers{16 / wider, 32};
  if (TargetHas(ir, op, "fma")) return Registers{8 / wider, 16};
  return std::nullopt;
}

// Whether the loops of the operation are batch, space and features of the
// result, then space and features of what is reduced, some without batch or
// features; it reads its array along sums of two loops, as windows do.
bool IsConvolution(const Ir& ir, MlirOperation op) {
  if (!IsContraction(ir, op)) return false;
  const std::vector<LoopList> maps = IndexingMaps(ir, op);
  const auto rank = static_cast<int64_t>(maps.back().size());
  const int64_t loops = LoopCount(ir, op);
  if (maps.size() != 3 || maps[0].empty() || maps[2] != AllLoops(rank)) {
    return false;
  }
  const int64_t space = std::ranges::count(maps[0], kNoLoop);
  if (space == 0 || space >= rank) return false;
  const bool features = maps[0].back() == loops - 1;
  LoopList read = AllLoops(rank - 1 - space);
  read.insert(read.end(), static_cast<size_t>(space), kNoLoop);
  if (features) read.push_back(loops - 1);
  LoopList kernel = AllLoops(loops);
  kernel.erase(kernel.begin(), kernel.begin() + rank);
  kernel.push_back(rank - 1);
  return maps[0] == read && maps[1] == kernel &&
         loops == rank + space + (features ? 1 : 0);
}

struct Tile {
  int64_t places;
  int64_t features;
};

// How long the additions of a tile take for each number: as many are done at
// once as there are lanes, unless they wait for what they read or for each
// other. Nothing if the registers do not hold the tile.
std::optional<double> CostOf(const Tile& tile, const Registers& registers) {
  const auto vectors = static_cast<double>(
      (tile.features + registers.lanes - 1) / registers.lanes);
  const auto places = static_cast<double>(tile.places);
  const double sums = places * vectors;
  if (sums + vectors + 1 > static_cast<double>(registers.count)) {
    return std::nullopt;
  }
  const double waits =
      std::max({1.0, (places + vectors) / sums, kSumsInFlight / sums});
  const double filled = static_cast<double>(tile.features) /
                        (vectors * static_cast<double>(registers.lanes));
  return waits / filled;
}

// The cheapest tile that divides a worker's part; of equals, the largest that
// fills up to half of the registers.
Tile Choose(const Tile& part, const Registers& registers) {
  Tile best{0, 0};
  double best_cost = 0;
  for (int64_t features = 2 * registers.lanes; features >= 4; features /= 2) {
    if (part.features % features != 0) continue;
    for (int64_t places = 1; places <= part.places; ++places) {
      if (part.places % places != 0) continue;
      const Tile tile{places, features};
      const auto cost = CostOf(tile, registers);
      if (!cost) break;
      const bool fits =
          places * features <= registers.count / 2 * registers.lanes;
      const bool larger = best.places * best.features < places * features;
      if (best.places == 0 || *cost < best_cost ||
          (*cost == best_cost && fits && larger)) {
        best = tile;
        best_cost = *cost;
      }
    }
  }
  return best;
}

void TileFunction(const Ir& ir, MlirOperation convolution) {
  const auto registers = RegistersFor(ir, convolution);
  const std::vector<int64_t> parts = TileSizes(ir, convolution, kDistribution);
  const size_t rank = IndexingMaps(ir, convolution).back().size();
  if (!registers || parts.size() <= rank) return;
  const Tile tile =
      Choose({parts.at(rank - 2), parts.at(rank - 1)}, *registers);
  if (tile.places == 0) return;
  for (const MlirOperation op : TiledWith(ir, convolution)) {
    std::vector<int64_t> vectors = TileSizes(ir, op, kVectors);
    if (vectors.size() < rank) continue;
    vectors.at(rank - 2) = tile.places;
    vectors.at(rank - 1) = tile.features;
    SetTileSizes(ir, op, kVectors, vectors);
  }
  std::vector<int64_t> reduced = TileSizes(ir, convolution, kReducedVectors);
  if (reduced.empty()) return;
  reduced.back() = std::min(reduced.back(), kReducedFeatures);
  SetTileSizes(ir, convolution, kReducedVectors, reduced);
}

}  // namespace

void TileConvolutions(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsConvolution(ir, op)) TileFunction(ir, op);
  }
}

}  // namespace iree_pjrt
