// SPDX-License-Identifier: Apache-2.0
#include "rewrite/stream/timepoints.h"

namespace iree_pjrt {

MlirValue AwaitedBy(const Ir& ir, MlirOperation op, size_t operand) {
  const std::vector<MlirValue> operands = ir.Operands(op);
  if (operands.size() > operand) return operands[operand];
  return ir.Results(ir.CreateBefore(op, "stream.timepoint.immediate", {},
                                    {ir.ResultTypes(op).back()}, {}))[0];
}

}  // namespace iree_pjrt
