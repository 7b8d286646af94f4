// SPDX-License-Identifier: Apache-2.0
// What the dimensions of a convolution's arrays are, in either dialect.
#ifndef IREE_PJRT_MLIR_CONVOLUTION_H_
#define IREE_PJRT_MLIR_CONVOLUTION_H_

#include <cstddef>

#include "mlir/ir.h"
#include "mlir/stablehlo_builder.h"

namespace iree_pjrt {

// Which dimensions of each array are, in this order,
struct ConvolutionDims {
  Dims input;   // batch, space, features
  Dims kernel;  // space, features in, features out
  Dims output;  // batch, space, features
};

// `rank`: of the arrays, which is the same for all.
ConvolutionDims ReadConvolution(const Ir& ir, MlirOperation op, size_t rank);

// Says that the dimensions of each array are in the order above.
void WriteOrderedConvolution(const Ir& ir, MlirOperation op, size_t rank);

// Whether it has one group, and goes over its kernel from the beginning to the
// end.
bool IsPlainConvolution(const Ir& ir, MlirOperation op);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_CONVOLUTION_H_
