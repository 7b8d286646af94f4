// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/dispatch_executable.h"

#include "base/text.h"

namespace iree_pjrt {
namespace {

constexpr std::string_view kExecutable = R"(
module {
  flow.executable private @NAME {
    flow.executable.export public @NAME workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      flow.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @NAME() {
        func.return
      }
    }
  }
})";

void LoadDialects(const Ir& ir) {
  for (const std::string_view name :
       {"arith", "bufferization", "complex", "flow", "func", "iree_tensor_ext",
        "linalg", "memref", "scf", "tensor"}) {
    ir.LoadDialect(name);
  }
}

MlirOperation Parsed(const Ir& ir, const std::string& name) {
  LoadDialects(ir);
  std::string text(kExecutable);
  ReplaceAll(text, "NAME", name);
  return ir.ParseOperation(text);
}

}  // namespace

DispatchExecutable::DispatchExecutable(const Ir& ir, const std::string& name)
    : ir_(ir), name_(name), owner_(Parsed(ir, name)) {}

MlirOperation DispatchExecutable::Executable() const {
  return ir_.api.mlirBlockGetFirstOperation(ir_.Body(owner_));
}

MlirOperation DispatchExecutable::module() const {
  const MlirOperation its_export =
      ir_.api.mlirBlockGetFirstOperation(ir_.Body(Executable()));
  return ir_.api.mlirOperationGetNextInBlock(its_export);
}

MlirOperation DispatchExecutable::function() const {
  return ir_.api.mlirBlockGetFirstOperation(ir_.Body(module()));
}

std::vector<MlirValue> DispatchExecutable::Dispatch(
    MlirOperation before, const std::vector<MlirValue>& operands,
    const std::vector<MlirType>& results,
    const std::vector<int64_t>& tied) const {
  const MlirOperation executable = Executable();
  ir_.api.mlirOperationRemoveFromParent(executable);
  const MlirBlock program = ir_.Body(ir_.module);
  ir_.api.mlirBlockInsertOwnedOperationBefore(
      program, ir_.api.mlirBlockGetFirstOperation(program), executable);
  std::string ties;
  for (const int64_t operand : tied) {
    ties += (ties.empty() ? "" : ", ") + std::to_string(operand) + " : index";
  }
  return ir_.Results(ir_.CreateBefore(
      before, "flow.dispatch", operands, results,
      {ir_.Named("entry_points", ir_.Parse("[@" + name_ + "::@" + name_ + "]")),
       ir_.Named("operandSegmentSizes",
                 ir_.Parse("array<i32: 0, " + std::to_string(operands.size()) +
                           ", 0, 0>")),
       ir_.Named("tied_operands", ir_.Parse("[" + ties + "]"))}));
}

}  // namespace iree_pjrt
