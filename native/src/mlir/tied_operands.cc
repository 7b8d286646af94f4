// SPDX-License-Identifier: Apache-2.0
#include "mlir/tied_operands.h"

#include <cstdint>

#include "mlir/attributes.h"

namespace iree_pjrt {

std::vector<std::optional<size_t>> TiedOperands(const Ir& ir,
                                                MlirOperation dispatch) {
  const MlirAttribute tied = ir.Attribute(dispatch, "tied_operands");
  if (!tied.ptr) return {};
  // The sizes by which it is divided among workers come before the arrays.
  const int64_t workload =
      ReadIntegers(ir, ir.Attribute(dispatch, "operandSegmentSizes")).at(0);
  std::vector<std::optional<size_t>> operands;
  for (intptr_t i = 0; i < ir.api.mlirArrayAttrGetNumElements(tied); ++i) {
    const int64_t array =
        ReadInteger(ir, ir.api.mlirArrayAttrGetElement(tied, i));
    operands.push_back(array < 0 ? std::nullopt
                                 : std::optional<size_t>(workload + array));
  }
  return operands;
}

}  // namespace iree_pjrt
