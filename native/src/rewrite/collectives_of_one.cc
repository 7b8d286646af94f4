// SPDX-License-Identifier: Apache-2.0
// With one device every collective is over a group of one: its results are its
// operands. A permutation of one device sends to itself or receives zeros.
#include <algorithm>
#include <array>
#include <string>

#include "rewrite/rewrites.h"

namespace iree_pjrt {
namespace {

constexpr std::array<std::string_view, 5> kIdentities = {
    "all_reduce", "all_gather", "all_to_all", "reduce_scatter",
    "collective_broadcast"};

bool SameTypes(const Ir& ir, MlirOperation op) {
  const std::vector<MlirValue> operands = ir.Operands(op);
  const std::vector<MlirType> results = ir.ResultTypes(op);
  if (operands.size() != results.size()) return false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!ir.api.mlirTypeEqual(ir.api.mlirValueGetType(operands[i]),
                              results[i])) {
      return false;
    }
  }
  return true;
}

// partition_id and replica_id: a scalar of ui32.
void ReplaceByZero(const Ir& ir, MlirOperation op) {
  const bool vhlo = ir.Name(op).starts_with("vhlo.");
  const MlirAttribute zero =
      ir.Parse(vhlo ? "#vhlo.tensor_v1<dense<0> : tensor<ui32>>"
                    : "dense<0> : tensor<ui32>");
  const MlirOperation constant =
      ir.CreateBefore(op, StablehloNameLike(ir.Name(op), "constant"), {},
                      ir.ResultTypes(op), {ir.Named("value", zero)});
  ir.Replace(op, {ir.api.mlirOperationGetResult(constant, 0)});
}

bool SendsToItself(const Ir& ir, MlirOperation op) {
  const std::string pairs = ir.Print(ir.Attribute(op, "source_target_pairs"));
  return pairs.find("dense<0>") != std::string::npos ||
         pairs.find("dense<[[0, 0]]>") != std::string::npos;
}

}  // namespace

void RewriteCollectivesOfOne(const Ir& ir) {
  for (MlirOperation op : ir.AllOperations()) {
    const std::string_view name = StablehloName(ir.Name(op));
    if (name == "partition_id" || name == "replica_id") {
      ReplaceByZero(ir, op);
      continue;
    }
    const bool identity =
        std::find(kIdentities.begin(), kIdentities.end(), name) !=
            kIdentities.end() ||
        (name == "collective_permute" && SendsToItself(ir, op));
    if (identity && SameTypes(ir, op)) ir.Replace(op, ir.Operands(op));
  }
}

}  // namespace iree_pjrt
