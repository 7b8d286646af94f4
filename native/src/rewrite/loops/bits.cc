// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/bits.h"

#include <string_view>

#include "mlir/array_type.h"
#include "mlir/generics.h"

namespace iree_pjrt {
namespace {

// The array with each element converted.
MlirValue Converted(const Ir& ir, MlirOperation before, MlirValue array,
                    std::string_view operation, MlirType type) {
  const MlirOperation empty =
      ir.CreateBefore(before, "tensor.empty", {}, {type}, {});
  return ir.Results(
      MakeElementwise(ir, before, operation, array, ir.Results(empty)[0]))[0];
}

}  // namespace

bool IsOfBits(const Ir& ir, MlirValue value) {
  return ir.IsArray(value) && ArrayTypeOf(ir, value) &&
         ArrayTypeOf(ir, value)->Element() == "i1";
}

MlirType InBytes(const Ir& ir, MlirValue value) {
  if (!IsOfBits(ir, value)) return ir.api.mlirValueGetType(value);
  ArrayType type = *ArrayTypeOf(ir, value);
  type.after = "i8>";
  return ir.ParseType(type.Reshaped(type.shape));
}

MlirValue BytesOfBits(const Ir& ir, MlirOperation before, MlirValue array) {
  if (!IsOfBits(ir, array)) return array;
  return Converted(ir, before, array, "arith.extui", InBytes(ir, array));
}

MlirValue BitsOfBytes(const Ir& ir, MlirOperation before, MlirValue bytes,
                      MlirType type) {
  if (ir.api.mlirTypeEqual(ir.api.mlirValueGetType(bytes), type)) return bytes;
  return Converted(ir, before, bytes, "arith.trunci", type);
}

}  // namespace iree_pjrt
