// SPDX-License-Identifier: Apache-2.0
// With one device every collective is over a group of one: its results are its
// operands. A permutation of one device sends to itself or receives zeros.
#include <algorithm>
#include <array>
#include <string>

#include "mlir/attributes.h"
#include "mlir/stablehlo_names.h"
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

// What a dense attribute says for zero, of elements of a builtin type.
std::string_view ZeroOf(std::string_view tensor) {
  if (tensor.find("complex") != std::string_view::npos) return "(0.0, 0.0)";
  if (tensor.ends_with("xi1>") || tensor.ends_with("<i1>")) return "false";
  const size_t element = tensor.find_last_of("x<") + 1;
  const char first = tensor.at(element);
  return first == 'i' || first == 'u' ? "0" : "0.0";
}

void ReplaceByZeros(const Ir& ir, MlirOperation op) {
  const bool vhlo = ir.Name(op).starts_with("vhlo.");
  std::vector<MlirValue> zeros;
  for (const MlirType type : ir.ResultTypes(op)) {
    const std::string tensor = WithoutVhlo(ir.Print(type));
    const std::string dense =
        "dense<" + std::string(ZeroOf(tensor)) + "> : " + tensor;
    const MlirAttribute value =
        ir.Parse(vhlo ? "#vhlo.tensor_v1<" + dense + ">" : dense);
    const MlirOperation constant =
        ir.CreateBefore(op, StablehloNameLike(ir.Name(op), "constant"), {},
                        {type}, {ir.Named("value", value)});
    zeros.push_back(ir.api.mlirOperationGetResult(constant, 0));
  }
  ir.Replace(op, zeros);
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
    const bool permutes = name == "collective_permute";
    if (name == "partition_id" || name == "replica_id" ||
        (permutes && !SendsToItself(ir, op))) {
      ReplaceByZeros(ir, op);
    } else if ((permutes || IsIdentity(name)) && SameTypes(ir, op)) {
      ir.Replace(op, ir.Operands(op));
    }
  }
}

}  // namespace iree_pjrt
