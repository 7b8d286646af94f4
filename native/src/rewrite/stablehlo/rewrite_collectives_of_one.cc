// SPDX-License-Identifier: Apache-2.0
// With one device every collective is over a group of one: its results are its
// operands. A permutation of one device sends to itself or receives zeros.
#include <algorithm>
#include <array>

#include "mlir/attributes.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/on_one_device.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

constexpr std::array<std::string_view, 6> kIdentities = {
    "all_reduce",     "all_gather",           "all_to_all",
    "reduce_scatter", "collective_broadcast", "cross-replica-sum"};

bool IsIdentity(std::string_view name) {
  return std::find(kIdentities.begin(), kIdentities.end(), name) !=
         kIdentities.end();
}

void ReplaceByZeros(const Ir& ir, MlirOperation op) {
  const StablehloBuilder builder(ir, op);
  std::vector<MlirValue> zeros;
  for (const MlirValue result : ir.Results(op)) {
    zeros.push_back(builder.Zeros(result));
  }
  ir.Replace(op, zeros);
}

bool SendsToItself(const Ir& ir, MlirOperation op) {
  const MlirAttribute pairs = BuiltinAttribute(ir, op, "source_target_pairs");
  return pairs.ptr && ReadIntegers(ir, pairs) == Dims{0, 0};
}

}  // namespace

void RewriteCollectivesOfOne(const Ir& ir) {
  for (MlirOperation op : ir.AllOperations()) {
    const std::string_view name = StablehloName(ir.Name(op));
    const bool permutes = name == "collective_permute";
    if (name == "partition_id" || name == "replica_id" ||
        (permutes && !SendsToItself(ir, op))) {
      ReplaceByZeros(ir, op);
    } else if (permutes || IsIdentity(name)) {
      ReplaceByOperands(ir, op);
    }
  }
}

}  // namespace iree_pjrt
