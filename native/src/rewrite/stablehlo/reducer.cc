// SPDX-License-Identifier: Apache-2.0
#include "rewrite/stablehlo/reducer.h"

#include <vector>

#include "mlir/stablehlo_names.h"

namespace iree_pjrt {

std::string_view ReducerOf(const Ir& ir, MlirOperation reduce) {
  const std::vector<MlirOperation> body = ir.OperationsOf(ir.Body(reduce));
  if (body.size() != 2 || ir.Results(body[0]).size() != 1) return {};
  const std::vector<MlirValue> operands = ir.Operands(body[0]);
  const bool only =
      operands.size() == 2 && operands[0].ptr != operands[1].ptr &&
      !ir.Definition(operands[0]).ptr && !ir.Definition(operands[1]).ptr &&
      ir.Operands(body[1])[0].ptr == ir.Results(body[0])[0].ptr;
  return only ? StablehloName(ir.Name(body[0])) : std::string_view{};
}

}  // namespace iree_pjrt
