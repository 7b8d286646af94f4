// SPDX-License-Identifier: Apache-2.0
// Loops over lengths that do not fill vectors. IREE (3.11, 3.13) masks every
// vector of such a loop. A reduction then adds the elements of each vector up
// instead of whole vectors: the sum of 1000 rows of 1000 takes 6 times as long
// as that of 1024 of 1024. Processors without AVX-512 have no masks in
// registers, so that each loop suffers: a sum of two arrays takes 3 times as
// long, of 8-bit integers 9 times, and elements taken by index up to 200 times.
// Peeled, only the last turn is apart.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "mlir/generics.h"
#include "rewrite/dispatch/executable_target.h"
#include "rewrite/dispatch/lowering_config.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

constexpr char kInfo[] = "translation_info";

// `translation_info<pipeline = ..DoubleTilingExpert..>`, which has no options
// yet: IREE peels in this pipeline where the options say so.
void Peel(const Ir& ir, MlirOperation function) {
  const MlirAttribute info = ir.Attribute(function, kInfo);
  if (!info.ptr) return;
  std::string text = ir.Print(info);
  if (text.find("DoubleTilingExpert") == std::string::npos ||
      text.find('{') != std::string::npos) {
    return;
  }
  text.insert(text.rfind('>'), ", {enable_loop_peeling}");
  ir.SetAttribute(function, kInfo, ir.Parse(text));
}

// Whether code for this processor computes masks element by element.
bool LacksMasks(const Ir& ir, MlirOperation op) {
  return IsForX86(ir, op) && !TargetHas(ir, op, "avx512f");
}

// Whether no loop is shorter than its vector: peeled, that would be left with
// nothing but single elements.
bool HasWholeVectors(const Ir& ir, MlirOperation op) {
  const std::vector<int64_t> vectors = TileSizes(ir, op, kVectors);
  if (!IsGeneric(ir, op) || vectors.empty()) return false;
  const std::vector<int64_t> loops = IndexingMaps(ir, op).back();
  const MlirType type = ir.api.mlirValueGetType(ir.Operands(op).back());
  for (size_t i = 0; i < loops.size(); ++i) {
    const int64_t length =
        ir.api.mlirShapedTypeGetDimSize(type, static_cast<intptr_t>(i));
    if (loops[i] == kNoLoop ||
        vectors[static_cast<size_t>(loops[i])] > std::max<int64_t>(1, length)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void PeelLoops(const Ir& ir) {
  std::set<void*> seen;
  for (const MlirOperation op : ir.AllOperations()) {
    if (!IsReduction(ir, op) &&
        !(HasWholeVectors(ir, op) && LacksMasks(ir, op))) {
      continue;
    }
    const MlirOperation function = ir.Enclosing(op, "func.func");
    if (function.ptr && seen.insert(function.ptr).second) Peel(ir, function);
  }
}

}  // namespace iree_pjrt
