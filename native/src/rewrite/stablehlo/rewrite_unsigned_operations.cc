// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 does not compile some operations of unsigned integers: cumulative
// reductions (a window as wide as the array), reversals, and scatters and sorts
// in a loop that carries them. The pass applies them to the same bits as signed
// integers. The bodies of these operations still see unsigned ones.
#include <optional>
#include <string>

#include "mlir/retype.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

class Operation {
 public:
  Operation(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        builder_(ir, op),
        cast_(StablehloNameLike(ir.Name(op), "bitcast_convert")) {}

  void TakeSigned() {
    CastOperands(op_);
    if (ir_.api.mlirOperationGetNumRegions(op_) > 0) TakeSignedBody();
    const MlirOperation next = ir_.api.mlirOperationGetNextInBlock(op_);
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumResults(op_); ++i) {
      BecomeSigned(ir_.api.mlirOperationGetResult(op_, i), next);
    }
  }

 private:
  void TakeSignedBody() const {
    const MlirBlock body = ir_.Body(op_);
    const MlirOperation first = ir_.api.mlirBlockGetFirstOperation(body);
    for (intptr_t i = 0; i < ir_.api.mlirBlockGetNumArguments(body); ++i) {
      BecomeSigned(ir_.api.mlirBlockGetArgument(body, i), first);
    }
    CastOperands(ir_.Terminator(body));
  }

  // Empty if the elements are not unsigned.
  std::optional<MlirType> SignedType(MlirValue value) const {
    const std::string element = builder_.ElementOf(value);
    if (!element.starts_with("ui")) return std::nullopt;
    return builder_.Type(builder_.ShapeOf(value), element.substr(1));
  }

  // Whether the operand is the indices of a scatter, which stay as they are.
  bool IsIndex(MlirOperation op, size_t operand) const {
    return StablehloName(ir_.Name(op)) == "scatter" &&
           operand == ir_.ResultTypes(op).size();
  }

  void CastOperands(MlirOperation op) const {
    const std::vector<MlirValue> operands = ir_.Operands(op);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (IsIndex(op, i)) continue;
      const auto type = SignedType(operands[i]);
      if (!type) continue;
      const MlirOperation cast =
          ir_.CreateBefore(op, cast_, {operands[i]}, {*type}, {});
      ir_.api.mlirOperationSetOperand(op, static_cast<intptr_t>(i),
                                      ir_.api.mlirOperationGetResult(cast, 0));
    }
  }

  // Retypes the value; its users get it cast back, right before `before`.
  void BecomeSigned(MlirValue value, MlirOperation before) const {
    if (const auto type = SignedType(value)) {
      RetypeBehindCast(ir_, value, *type, cast_, before);
    }
  }

  const Ir& ir_;
  const MlirOperation op_;
  const StablehloBuilder builder_;
  const std::string cast_;
};

}  // namespace

void RewriteUnsignedOperations(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view name = StablehloName(ir.Name(op));
    if (name == "reduce_window" || name == "reverse" || name == "scatter" ||
        name == "sort") {
      Operation(ir, op).TakeSigned();
    }
  }
}

}  // namespace iree_pjrt
