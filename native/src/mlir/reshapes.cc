// SPDX-License-Identifier: Apache-2.0
#include "mlir/reshapes.h"

#include <string>

#include "mlir/array_type.h"
#include "mlir/attributes.h"

namespace iree_pjrt {
namespace {

MlirNamedAttribute Reassociation(const Ir& ir, const DimensionCounts& counts) {
  std::string lists;
  int64_t next = 0;
  for (const int64_t count : counts) {
    std::string list;
    for (int64_t i = 0; i < count; ++i) {
      list += (i > 0 ? ", " : "") + std::to_string(next++);
    }
    lists += (lists.empty() ? "[" : ", [") + list + "]";
  }
  return ir.Named("reassociation", ir.Parse("[" + lists + "]"));
}

}  // namespace

MlirType TypeInShape(const Ir& ir, MlirValue tensor,
                     const std::vector<int64_t>& shape) {
  return ir.ParseType(ArrayTypeOf(ir, tensor)->Reshaped(shape));
}

MlirValue ExpandShape(const Ir& ir, MlirOperation before, MlirValue tensor,
                      const std::vector<int64_t>& shape,
                      const DimensionCounts& counts) {
  return ir.Results(ir.CreateBefore(
      before, "tensor.expand_shape", {tensor}, {TypeInShape(ir, tensor, shape)},
      {Reassociation(ir, counts),
       ir.Named("static_output_shape", ir.Parse(Array64(shape)))}))[0];
}

MlirValue CollapseShape(const Ir& ir, MlirOperation before, MlirValue tensor,
                        const DimensionCounts& counts) {
  const std::vector<int64_t> from = ArrayTypeOf(ir, tensor)->shape;
  std::vector<int64_t> shape;
  size_t next = 0;
  for (const int64_t count : counts) {
    int64_t& size = shape.emplace_back(1);
    for (int64_t i = 0; i < count; ++i) size *= from.at(next++);
  }
  return ir.Results(ir.CreateBefore(before, "tensor.collapse_shape", {tensor},
                                    {TypeInShape(ir, tensor, shape)},
                                    {Reassociation(ir, counts)}))[0];
}

}  // namespace iree_pjrt
