// SPDX-License-Identifier: Apache-2.0
#include "mlir/window.h"

#include <string_view>

#include "mlir/attributes.h"

namespace iree_pjrt {

Window TrivialWindow(size_t rank) {
  const Dims ones(rank, 1);
  const Dims zeros(rank, 0);
  return {ones, ones, ones, ones, zeros, zeros};
}

Window ReadWindow(const Ir& ir, MlirOperation op) {
  const auto read = [&](std::string_view name, Dims& numbers) {
    const MlirAttribute attribute = BuiltinAttribute(ir, op, name);
    if (attribute.ptr) numbers = ReadIntegers(ir, attribute);
  };
  Dims sizes;
  read("window_dimensions", sizes);
  Window window = TrivialWindow(sizes.size());
  window.sizes = sizes;
  read("window_strides", window.strides);
  read("window_dilations", window.dilations);
  read("base_dilations", window.base_dilations);
  Dims padding(2 * sizes.size(), 0);
  read("padding", padding);
  for (size_t d = 0; d < sizes.size(); ++d) {
    window.low[d] = padding.at(2 * d);
    window.high[d] = padding.at(2 * d + 1);
  }
  return window;
}

int64_t Places(const Window& window, size_t dimension, int64_t size) {
  const int64_t span =
      (window.sizes[dimension] - 1) * window.dilations[dimension] + 1;
  return size < span ? 0 : (size - span) / window.strides[dimension] + 1;
}

}  // namespace iree_pjrt
