// SPDX-License-Identifier: Apache-2.0
// Three kinds of dot_general.
//
// With an algorithm (BF16_BF16_F32 ...): IREE 3.11 does not bring its
// dimensions into order, and then refuses it. IREE has one algorithm, which is
// as exact as the types of operands and result. The pass drops the attribute.
//
// Of booleans or unsigned integers that are converted first: IREE converts them
// within the product, as if they were signed. A barrier hides the conversion.
//
// Of converted numbers, one product for each result: IREE makes a
// multiplication of it, and converts once more. Where that is of what another
// dot_general gave, IREE 3.13 loses its way between the two and ends the
// process. A barrier again; such an operand is the small part.
#include <algorithm>
#include <string>

#include "mlir/dimension_numbers.h"
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

bool IsOfAnyType(std::string_view) { return true; }

// Whether the value is converted from one of such a type, maybe reshaped.
bool IsConverted(const Ir& ir, MlirValue value,
                 bool (*is_from)(std::string_view)) {
  for (MlirOperation op; (op = ir.Definition(value)).ptr;) {
    const std::string_view name = StablehloName(ir.Name(op));
    if (name != "convert" && name != "transpose" && name != "reshape" &&
        name != "broadcast_in_dim") {
      return false;
    }
    value = ir.api.mlirOperationGetOperand(op, 0);
    if (name == "convert" &&
        is_from(StablehloBuilder(ir, op).ElementOf(value))) {
      return true;
    }
  }
  return false;
}

// Whether each number of the result is a single product.
bool AddsNothing(const Ir& ir, MlirOperation op) {
  const auto shape =
      StablehloBuilder(ir, op).ShapeOf(ir.api.mlirOperationGetOperand(op, 0));
  const auto dimensions = ReadProductDimensions(ir, op).lhs_contracting;
  return std::all_of(dimensions.begin(), dimensions.end(),
                     [&](int64_t d) { return shape.at(d) == 1; });
}

// IREE cannot look through a barrier.
void HideConversions(const Ir& ir, MlirOperation op) {
  const auto is_from = AddsNothing(ir, op) ? IsOfAnyType : IsUnsigned;
  for (intptr_t i = 0; i < 2; ++i) {
    const MlirValue operand = ir.api.mlirOperationGetOperand(op, i);
    if (IsConverted(ir, operand, is_from)) ir.PutBehindBarrier(operand);
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
