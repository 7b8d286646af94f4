// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/elementwise.h"

#include <string>
#include <vector>

namespace iree_pjrt {
namespace {

// `affine_map<(d0, d1) -> (d0, d1)>`, or of no results.
std::string MapText(intptr_t rank, bool identity) {
  std::string dims;
  for (intptr_t i = 0; i < rank; ++i) {
    dims += (i ? ", d" : "d") + std::to_string(i);
  }
  return "affine_map<(" + dims + ") -> (" + (identity ? dims : "") + ")>";
}

std::string ParallelLoops(intptr_t rank) {
  std::string text;
  for (intptr_t i = 0; i < rank; ++i) {
    text += i ? ", " : "";
    text += "#linalg.iterator_type<parallel>";
  }
  return "[" + text + "]";
}

MlirOperation Append(const Ir& ir, MlirBlock block, MlirLocation location,
                     std::string_view name, MlirValue operand,
                     const std::vector<MlirType>& results) {
  MlirOperationState state =
      ir.api.mlirOperationStateGet({name.data(), name.size()}, location);
  ir.api.mlirOperationStateAddOperands(&state, 1, &operand);
  ir.api.mlirOperationStateAddResults(
      &state, static_cast<intptr_t>(results.size()), results.data());
  const MlirOperation op = ir.api.mlirOperationCreate(&state);
  ir.api.mlirBlockAppendOwnedOperation(block, op);
  return op;
}

}  // namespace

MlirOperation MakeElementwise(const Ir& ir, MlirOperation before,
                              std::string_view operation, MlirValue input,
                              MlirValue target) {
  const MlirType from = ir.api.mlirValueGetType(input);
  const MlirType to = ir.api.mlirValueGetType(target);
  const bool array = ir.api.mlirTypeIsAShaped(from);
  const bool tensor = ir.Print(to).starts_with("tensor");
  const intptr_t rank = ir.api.mlirShapedTypeGetRank(to);
  const MlirOperation generic = ir.CreateBefore(
      before, "linalg.generic", {input, target},
      tensor ? std::vector<MlirType>{to} : std::vector<MlirType>{},
      {ir.Named("operandSegmentSizes", ir.Parse("array<i32: 1, 1>")),
       ir.Named("indexing_maps", ir.Parse("[" + MapText(rank, array) + ", " +
                                          MapText(rank, true) + "]")),
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
        Append(ir, body, location, operation, element, {types[1]}))[0];
  }
  Append(ir, body, location, "linalg.yield", element, {});
  return generic;
}

}  // namespace iree_pjrt
