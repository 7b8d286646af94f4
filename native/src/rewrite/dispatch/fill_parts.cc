// SPDX-License-Identifier: Apache-2.0
// Parts of loops that workers get. IREE (3.11, 3.13) divides 100 columns by 25,
// 1000 by 50, and computes them in vectors of 32 and 16: masked, or peeled,
// element by element, as a part has few whole vectors. The pass makes parts of
// whole vectors; of a few vectors, one part. Those of elementwise loops are
// rows as long as can be: memory is read and written in one go. A million
// complex numbers are 31,250 parts for IREE; they get as long ones as others.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "mlir/generics.h"
#include "rewrite/dispatch/lowering_config.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// Loops of up to so many vectors are not divided.
constexpr int64_t kVectorsOfOnePart = 8;
// What IREE gives a worker of a long list of floats.
constexpr int64_t kLongPart = 4096;
// Shorter lists are divided into so many parts, if these are no shorter.
constexpr int64_t kPartsOfShortList = 8;

// A loop of the result, and the part of it that a worker gets.
struct Loop {
  int64_t length;
  int64_t vector;
  int64_t* part;

  bool IsDivided() const { return *part > 0 && *part < length; }
  bool LeavesVectors() const {
    return vector > 1 && IsDivided() && *part % vector != 0;
  }
};

// The dimensions of the result along which loops run.
std::vector<Loop> LoopsOf(const Ir& ir, MlirOperation op,
                          const std::vector<int64_t>& vectors,
                          std::vector<int64_t>& parts) {
  std::vector<Loop> found;
  const LoopList loops = IndexingMaps(ir, op).back();
  const MlirType type = ir.api.mlirValueGetType(ir.Operands(op).back());
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops[i] == kNoLoop) continue;
    const auto loop = static_cast<size_t>(loops[i]);
    found.push_back(
        {ir.api.mlirShapedTypeGetDimSize(type, static_cast<intptr_t>(i)),
         vectors.at(loop), &parts.at(loop)});
  }
  return found;
}

// Whether elements that lie side by side follow each other in all arrays.
bool RunsAlongRows(const Ir& ir, MlirOperation op) {
  if (!IsElementwise(ir, op)) return false;
  const std::vector<LoopList> maps = IndexingMaps(ir, op);
  const int64_t along = maps.back().back();
  return std::ranges::all_of(maps, [&](const LoopList& map) {
    const auto found = std::ranges::find(map, along);
    return found == map.end() || found + 1 == map.end();
  });
}

// Rows as long as the part has elements, or whole ones.
bool LengthenRows(Loop rows, Loop row) {
  if (!row.IsDivided() || *rows.part < 1) return false;
  const int64_t size = *rows.part * *row.part;
  if (row.length <= 2 * size) {
    *row.part = row.length;
    *rows.part = DivisorUpTo(size / row.length, rows.length);
  } else {
    *row.part = UpToWhole(size, row.vector);
    *rows.part = 1;
  }
  return true;
}

bool FillVectors(Loop loop) {
  if (!loop.LeavesVectors()) return false;
  const bool few = loop.length <= kVectorsOfOnePart * loop.vector;
  *loop.part = few ? loop.length
                   : std::min(UpToWhole(*loop.part, loop.vector), loop.length);
  return true;
}

// The parts of a list of complex numbers.
bool LengthenParts(const Ir& ir, MlirOperation op, Loop list) {
  if (!list.IsDivided() || !IsElementwise(ir, op) ||
      !HasComplexOperand(ir, op)) {
    return false;
  }
  const int64_t share = UpToWhole(list.length / kPartsOfShortList, list.vector);
  *list.part = std::max(*list.part, std::min(share, kLongPart));
  return true;
}

void Fill(const Ir& ir, MlirOperation op) {
  std::vector<int64_t> parts = TileSizes(ir, op, kDistribution);
  const std::vector<int64_t> vectors = TileSizes(ir, op, kVectors);
  if (parts.empty() || parts.size() != vectors.size()) return;
  const std::vector<Loop> loops = LoopsOf(ir, op, vectors, parts);
  bool changed = loops.size() > 1 && RunsAlongRows(ir, op) &&
                 LengthenRows(loops.end()[-2], loops.back());
  if (loops.size() == 1) changed |= LengthenParts(ir, op, loops[0]);
  for (const Loop& loop : loops) changed |= FillVectors(loop);
  if (changed) SetTileSizes(ir, op, kDistribution, parts);
}

}  // namespace

void FillParts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsGeneric(ir, op)) Fill(ir, op);
  }
}

}  // namespace iree_pjrt
