// SPDX-License-Identifier: Apache-2.0
// dot_general with an algorithm (BF16_BF16_F32 ...): IREE 3.11 does not bring
// its dimensions into order and then refuses it. It has one algorithm, which
// is as exact as the types of the operands and the result. And of numbers that
// are made of booleans: IREE makes them in the product, with true as -1.
#include <string>

#include "rewrite/rewrites.h"

namespace iree_pjrt {
namespace {

// What says in VHLO which algorithm it is; StableHLO has an attribute.
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

// Whether the value is made of booleans, maybe in another shape.
bool IsOfBooleans(const Ir& ir, MlirValue value) {
  for (MlirOperation op; (op = ir.Definition(value)).ptr;) {
    const std::string_view name = StablehloName(ir.Name(op));
    if (name != "convert" && name != "transpose" && name != "reshape" &&
        name != "broadcast_in_dim") {
      return false;
    }
    value = ir.api.mlirOperationGetOperand(op, 0);
    const std::string type = ir.Print(ir.api.mlirValueGetType(value));
    if (type.ends_with("i1>") || type.ends_with("!vhlo.bool_v1>")) return true;
  }
  return false;
}

// IREE cannot look through a barrier.
void HideBooleans(const Ir& ir, MlirOperation op) {
  for (intptr_t i = 0; i < 2; ++i) {
    const MlirValue operand = ir.api.mlirOperationGetOperand(op, i);
    if (IsOfBooleans(ir, operand)) ir.PutBehindBarrier(operand);
  }
}

}  // namespace

void RewriteDotProducts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "dot_general") continue;
    DropAlgorithm(ir, op);
    HideBooleans(ir, op);
  }
}

}  // namespace iree_pjrt
