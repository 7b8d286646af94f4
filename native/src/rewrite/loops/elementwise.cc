// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/elementwise.h"

#include <string>
#include <vector>

#include "mlir/generics.h"

namespace iree_pjrt {

MlirOperation MakeElementwise(const Ir& ir, MlirOperation before,
                              std::string_view operation, MlirValue input,
                              MlirValue target) {
  const MlirType to = ir.api.mlirValueGetType(target);
  const bool tensor = ir.Print(to).starts_with("tensor");
  const LoopList all = AllLoops(ir.api.mlirShapedTypeGetRank(to));
  const MlirOperation generic = MakeGeneric(
      ir, before, {input, target}, {ir.IsArray(input) ? all : LoopList{}, all},
      tensor ? std::vector<MlirType>{to} : std::vector<MlirType>{});
  const MlirBlock body = AddElementBody(ir, generic);
  const MlirLocation location = ir.api.mlirOperationGetLocation(generic);
  MlirValue element = ir.api.mlirBlockGetArgument(body, 0);
  if (!operation.empty()) {
    element =
        ir.Results(ir.AppendTo(body, location, operation, {element},
                               {ir.api.mlirShapedTypeGetElementType(to)}))[0];
  }
  ir.AppendTo(body, location, "linalg.yield", {element});
  return generic;
}

}  // namespace iree_pjrt
