// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/elementwise.h"

#include <string>
#include <vector>

#include "mlir/generics.h"

namespace iree_pjrt {
MlirOperation MakeElementwise(const Ir& ir, MlirOperation before,
                              std::string_view operation, MlirValue input,
                              MlirValue target) {
  const MlirType from = ir.api.mlirValueGetType(input);
  const MlirType to = ir.api.mlirValueGetType(target);
  const bool array = ir.api.mlirTypeIsAShaped(from);
  const bool tensor = ir.Print(to).starts_with("tensor");
  const int64_t rank = ir.api.mlirShapedTypeGetRank(to);
  const LoopList all = AllLoops(rank);
  const MlirOperation generic = ir.CreateBefore(
      before, "linalg.generic", {input, target},
      tensor ? std::vector<MlirType>{to} : std::vector<MlirType>{},
      {ir.Named("operandSegmentSizes", ir.Parse("array<i32: 1, 1>")),
       ir.Named("indexing_maps",
                ir.Parse("[" + MapText(rank, array ? all : LoopList{}) + ", " +
                         MapText(rank, all) + "]")),
       ir.Named("iterator_types", ir.Parse(ParallelLoops(rank)))},
      1);
  const MlirType types[] = {
      array ? ir.api.mlirShapedTypeGetElementType(from) : from,
      ir.api.mlirShapedTypeGetElementType(to)};
  const MlirLocation location = ir.api.mlirOperationGetLocation(before);
  const MlirLocation locations[] = {location, location};
  const MlirBlock body = ir.api.mlirBlockCreate(2, types, locations);
  ir.api.mlirRegionAppendOwnedBlock(ir.api.mlirOperationGetFirstRegion(generic),
                                    body);
  MlirValue element = ir.api.mlirBlockGetArgument(body, 0);
  if (!operation.empty()) {
    element = ir.Results(
        ir.AppendTo(body, location, operation, {element}, {types[1]}))[0];
  }
  ir.AppendTo(body, location, "linalg.yield", {element});
  return generic;
}

}  // namespace iree_pjrt
