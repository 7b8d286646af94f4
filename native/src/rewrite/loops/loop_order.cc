// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/loop_order.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "mlir/generics.h"

namespace iree_pjrt {
namespace {

using Maps = std::vector<LoopList>;

bool UsesCounters(const Ir& ir, MlirOperation op) {
  for (MlirOperation one = ir.api.mlirBlockGetFirstOperation(ir.Body(op));
       one.ptr; one = ir.api.mlirOperationGetNextInBlock(one)) {
    if (ir.Name(one) == "linalg.index") return true;
  }
  return false;
}

bool IsReduced(const Maps& maps, int64_t loop) {
  return std::ranges::count(maps.back(), loop) == 0;
}

// The more, the better the loop is inside. A step through memory is worse than
// an array that stays where it is, which is worse than going along it.
int Score(const Maps& maps, int64_t loop) {
  int score = IsReduced(maps, loop) ? 0 : 1;
  for (const auto& map : maps) {
    const auto times = std::ranges::count(map, loop);
    if (times == 0) continue;
    score += map.back() == loop && times == 1 ? 2 : -4;
  }
  return score;
}

LoopList Renamed(LoopList map, const LoopList& names) {
  for (int64_t& loop : map) loop = names[static_cast<size_t>(loop)];
  return map;
}

// All loops of a generic but one.
LoopList Others(const Ir& ir, MlirOperation op, int64_t loop) {
  LoopList loops = AllLoops(LoopCount(ir, op));
  std::erase(loops, loop);
  return loops;
}

// `order`: from the outer loop to the inner one.
void Reorder(const Ir& ir, MlirOperation op, const LoopList& order) {
  const MlirAttribute iterators = ir.Attribute(op, "iterator_types");
  LoopList renamed(order.size());
  std::string types;
  for (size_t i = 0; i < order.size(); ++i) {
    renamed[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    types += (i ? ", " : "") +
             ir.Print(ir.api.mlirArrayAttrGetElement(iterators, order[i]));
  }
  Maps maps = IndexingMaps(ir, op);
  for (LoopList& map : maps) map = Renamed(map, renamed);
  ir.SetAttribute(op, "indexing_maps", MapsOf(ir, LoopCount(ir, op), maps));
  ir.SetAttribute(op, "iterator_types", ir.Parse("[" + types + "]"));
}

}  // namespace

std::optional<int64_t> LoopAlongMemory(const Ir& ir, MlirOperation op) {
  if (!IsReduction(ir, op) || UsesCounters(ir, op)) return std::nullopt;
  const Maps maps = IndexingMaps(ir, op);
  const int64_t loops = LoopCount(ir, op);
  int64_t best = loops - 1;
  for (const auto& map : maps) {
    if (std::ranges::count(map, kNoLoop) > 0) return std::nullopt;
  }
  for (int64_t i = 0; i < loops; ++i) {
    if (Score(maps, i) > Score(maps, best)) best = i;
  }
  return best;
}

void PutLoopAlongMemoryInside(const Ir& ir, MlirOperation op) {
  if (const auto loop = LoopAlongMemory(ir, op)) {
    LoopList order = Others(ir, op, *loop);
    order.push_back(*loop);
    Reorder(ir, op, order);
  }
}

void PutLoopOutside(const Ir& ir, MlirOperation op, int64_t loop) {
  LoopList order = Others(ir, op, loop);
  order.insert(order.begin(), loop);
  Reorder(ir, op, order);
}

}  // namespace iree_pjrt
