// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 does not compile cumulative reductions (a window as wide as the
// array) of unsigned integers. The window is taken over the same bits as signed
// integers; the reduction itself still sees unsigned ones.
#include <string>

#include "rewrite/rewrites.h"

namespace iree_pjrt {
namespace {

// `tensor<4xui32>` -> `tensor<4xi32>`, in either dialect; empty if the elements
// are not unsigned.
std::string SignedType(std::string type) {
  const size_t u = type.find("ui");
  if (u == std::string::npos) return "";
  return type.erase(u, 1);
}

class Windows {
 public:
  Windows(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        cast_(ir.Name(op).starts_with("vhlo.") ? "vhlo.bitcast_convert_v1"
                                               : "stablehlo.bitcast_convert") {}

  void TakeSigned() {
    const MlirBlock body = ir_.api.mlirRegionGetFirstBlock(
        ir_.api.mlirOperationGetFirstRegion(op_));
    const MlirOperation first = ir_.api.mlirBlockGetFirstOperation(body);
    CastOperands(op_);
    for (intptr_t i = 0; i < ir_.api.mlirBlockGetNumArguments(body); ++i) {
      BecomeSigned(ir_.api.mlirBlockGetArgument(body, i), first);
    }
    CastOperands(ir_.Terminator(body));
    const MlirOperation next = ir_.api.mlirOperationGetNextInBlock(op_);
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumResults(op_); ++i) {
      BecomeSigned(ir_.api.mlirOperationGetResult(op_, i), next);
    }
  }

 private:
  MlirOperation Cast(MlirOperation before, MlirValue value,
                     MlirType type) const {
    return ir_.CreateBefore(before, cast_, {value}, {type}, {});
  }

  void CastOperands(MlirOperation op) const {
    const std::vector<MlirValue> operands = ir_.Operands(op);
    for (size_t i = 0; i < operands.size(); ++i) {
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
    const MlirType unsigned_type = ir_.api.mlirValueGetType(value);
    const std::string type = SignedType(ir_.Print(unsigned_type));
    if (type.empty()) return;
    const MlirOperation cast = Cast(before, value, unsigned_type);
    ir_.api.mlirValueReplaceAllUsesOfWith(
        value, ir_.api.mlirOperationGetResult(cast, 0));
    ir_.api.mlirOperationSetOperand(cast, 0, value);
    ir_.api.mlirValueSetType(value, ir_.ParseType(type));
  }

  const Ir& ir_;
  const MlirOperation op_;
  const std::string_view cast_;
};

}  // namespace

void RewriteUnsignedWindows(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "reduce_window") continue;
    Windows(ir, op).TakeSigned();
  }
}

}  // namespace iree_pjrt
