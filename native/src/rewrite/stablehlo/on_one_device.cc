// SPDX-License-Identifier: Apache-2.0
#include "rewrite/stablehlo/on_one_device.h"

#include <string>

#include "base/status.h"
#include "mlir/stablehlo_names.h"

namespace iree_pjrt {
namespace {

bool KeepsTypes(const Ir& ir, const std::vector<MlirValue>& operands,
                const std::vector<MlirType>& results) {
  if (operands.size() != results.size()) return false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!ir.api.mlirTypeEqual(ir.api.mlirValueGetType(operands[i]),
                              results[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

void ReplaceByOperands(const Ir& ir, MlirOperation op) {
  const std::vector<MlirValue> operands = ir.Operands(op);
  const std::vector<MlirType> results = ir.ResultTypes(op);
  if (!results.empty() && !KeepsTypes(ir, operands, results)) {
    std::string message(StablehloName(ir.Name(op)));
    message += " changes a shape or the number of values (to";
    for (const MlirType type : results) message += " " + ir.Print(type);
    ThrowInvalidArgument(message +
                         "), which cannot be on one device: was the program "
                         "lowered for more devices?");
  }
  ir.Replace(op, results.empty() ? std::vector<MlirValue>{} : operands);
}

}  // namespace iree_pjrt
