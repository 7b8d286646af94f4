// SPDX-License-Identifier: Apache-2.0
#include "rewrite/stablehlo/padding.h"

#include "mlir/attributes.h"

namespace iree_pjrt {

Padding ReadPadding(const Ir& ir, MlirOperation pad) {
  const auto numbers = [&](const char* name) {
    return ReadIntegers(ir, BuiltinAttribute(ir, pad, name));
  };
  return {numbers("edge_padding_low"), numbers("edge_padding_high"),
          numbers("interior_padding")};
}

}  // namespace iree_pjrt
