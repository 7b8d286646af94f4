// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_TEST_FFI_TENSORS_H_
#define IREE_PJRT_TEST_FFI_TENSORS_H_

#include <numeric>
#include <vector>

#include "ffi/foreign_call.h"

namespace iree_pjrt {

// An operand or result whose elements lie in their order.
inline ForeignTensor RowMajor(PJRT_Buffer_Type type,
                              const std::vector<int64_t>& dims) {
  ForeignTensor tensor{MakeShape(type, dims.data(), dims.size()), {}};
  tensor.major_to_minor.resize(dims.size());
  std::iota(tensor.major_to_minor.begin(), tensor.major_to_minor.end(), 0);
  return tensor;
}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TEST_FFI_TENSORS_H_
