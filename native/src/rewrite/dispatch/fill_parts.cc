// SPDX-License-Identifier: Apache-2.0
// Parts of a reduction that workers get. IREE (3.11, 3.13) divides 100 columns
// by 25 and computes them in vectors of 32: masked, or peeled, element by
// element, as a part has no whole vector. The pass makes parts of whole
// vectors; of a few vectors, one part.
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

void Fill(const Ir& ir, MlirOperation op) {
  std::vector<int64_t> parts = TileSizes(ir, op, kDistribution);
  const std::vector<int64_t> vectors = TileSizes(ir, op, kVectors);
  if (parts.empty() || parts.size() != vectors.size()) return;
  const LoopList loops = IndexingMaps(ir, op).back();
  const MlirType type = ir.api.mlirValueGetType(ir.Operands(op).back());
  bool changed = false;
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops[i] == kNoLoop) continue;
    const auto loop = static_cast<size_t>(loops[i]);
    const int64_t length =
        ir.api.mlirShapedTypeGetDimSize(type, static_cast<intptr_t>(i));
    const int64_t vector = vectors.at(loop);
    int64_t& part = parts.at(loop);
    if (vector < 2 || part < 1 || part >= length || part % vector == 0) {
      continue;
    }
    const int64_t whole = (part + vector - 1) / vector * vector;
    const bool few = length <= kVectorsOfOnePart * vector;
    part = few ? length : std::min(whole, length);
    changed = true;
  }
  if (changed) SetTileSizes(ir, op, kDistribution, parts);
}

}  // namespace

void FillParts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsReduction(ir, op)) Fill(ir, op);
  }
}

}  // namespace iree_pjrt
