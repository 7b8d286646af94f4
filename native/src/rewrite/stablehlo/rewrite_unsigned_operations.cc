// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 does not compile some operations of unsigned integers: cumulative
// reductions (a window as wide as the array), reversals, and scatters and sorts
// in a loop that carries them. The pass applies them to the same bits as signed
// integers. The bodies of these operations still see unsigned ones.
#include <string>

#include "mlir/retype.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// `tensor<4xui32>` -> `tensor<4xi32>`, in either dialect; empty if the elements
// are not unsigned.
std::string SignedType(std::string type) {
  const size_t u = type.find("ui");
  if (u == std::string::npos) return "";
  return type.erase(u, 1);
}

class Operation {
 public:
  Operation(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
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

  MlirOperation Cast(MlirOperation before, MlirValue value,
                     MlirType type) const {
    return ir_.CreateBefore(before, cast_, {value}, {type}, {});
  }

  // The indices of a scatter stay what they are.
  bool IsIndex(MlirOperation op, size_t operand) const {
    return StablehloName(ir_.Name(op)) == "scatter" &&
           operand == ir_.ResultTypes(op).size();
  }

  void CastOperands(MlirOperation op) const {
    const std::vector<MlirValue> operands = ir_.Operands(op);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (IsIndex(op, i)) continue;
      const std::string type =
          SignedType(ir_.Print(ir_.api.mlirValueGetType(operands[i])));
      if (type.empty()) continue;
      const MlirOperation cast = Cast(op, operands[i], ir_.ParseType(type));
      ir_.api.mlirOperationSetOperand(op, static_cast<intptr_t>(i),
                                      ir_.api.mlirOperationGetResult(cast, 0));
    }
  }

  // Whoever uses the value gets it cast back, right before `before`.
  void BecomeSigned(MlirValue value, MlirOperation before) const {
    const std::string type =
        SignedType(ir_.Print(ir_.api.mlirValueGetType(value)));
    if (type.empty()) return;
    RetypeBehindCast(ir_, value, ir_.ParseType(type), cast_, before);
  }

  const Ir& ir_;
  const MlirOperation op_;
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
