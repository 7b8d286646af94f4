// SPDX-License-Identifier: Apache-2.0
// Two kinds of dot_general.
//
// With an algorithm (BF16_BF16_F32 ...): IREE 3.11 does not bring its
// dimensions into order, and then refuses it. IREE has one algorithm, which is
// as exact as the types of operands and result. The pass drops the attribute.
//
// Of booleans or unsigned integers that are converted first: IREE converts them
// within the product, as if they were signed. A barrier hides the conversion.
#include <string>

#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// The attributes that name the algorithm in VHLO; StableHLO has one for all.
constexpr const char* kParts[] = {
    "accumulation_type",  "allow_imprecise_accumulation", "lhs_component_count",
    "lhs_precision_type", "num_primitive_operations",     "rhs_component_count",
    "rhs_precision_type"};

void DropAlgorithm(const Ir& ir, MlirOperation op) {
  ir.RemoveAttribute(op, "algorithm");
  for (const char* part : kParts) {
    if (!ir.Attribute(op, part).ptr) continue;
    ir.SetAttribute(op, part, ir.Parse("#vhlo.type_v1<!vhlo.none_v1>"));
  }
}

// Booleans too: their true is -1 with a sign.
bool IsUnsigned(std::string_view element) {
  return element == "i1" || element.starts_with("ui");
}

// Whether the value is converted from unsigned numbers, maybe reshaped.
bool IsConverted(const Ir& ir, MlirValue value) {
  for (MlirOperation op; (op = ir.Definition(value)).ptr;) {
    const std::string_view name = StablehloName(ir.Name(op));
    if (name != "convert" && name != "transpose" && name != "reshape" &&
        name != "broadcast_in_dim") {
      return false;
    }
    value = ir.api.mlirOperationGetOperand(op, 0);
    if (name == "convert" &&
        IsUnsigned(StablehloBuilder(ir, op).ElementOf(value))) {
      return true;
    }
  }
  return false;
}

// IREE cannot look through a barrier.
void HideConversions(const Ir& ir, MlirOperation op) {
  for (intptr_t i = 0; i < 2; ++i) {
    const MlirValue operand = ir.api.mlirOperationGetOperand(op, i);
    if (IsConverted(ir, operand)) ir.PutBehindBarrier(operand);
  }
}

}  // namespace

void RewriteDotProducts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "dot_general") continue;
    DropAlgorithm(ir, op);
    HideConversions(ir, op);
  }
}

}  // namespace iree_pjrt
