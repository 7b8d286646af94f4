// SPDX-License-Identifier: Apache-2.0
#include "mlir/window.h"

#include <string_view>

#include "mlir/attributes.h"

namespace iree_pjrt {
namespace {

// Leaves the numbers as they are if there is no such attribute.
void ReadInto(const Ir& ir, MlirOperation op, std::string_view name,
              Dims& numbers) {
  const MlirAttribute attribute = BuiltinAttribute(ir, op, name);
  if (attribute.ptr) numbers = ReadIntegers(ir, attribute);
}

Window ReadSteps(const Ir& ir, MlirOperation op, const Dims& sizes,
                 std::string_view dilations, std::string_view base_dilations) {
  Window window = TrivialWindow(sizes.size());
  window.sizes = sizes;
  ReadInto(ir, op, "window_strides", window.strides);
  ReadInto(ir, op, dilations, window.dilations);
  ReadInto(ir, op, base_dilations, window.base_dilations);
  Dims padding(2 * sizes.size(), 0);
  ReadInto(ir, op, "padding", padding);
  for (size_t d = 0; d < sizes.size(); ++d) {
    window.low[d] = padding.at(2 * d);
    window.high[d] = padding.at(2 * d + 1);
  }
  return window;
}

}  // namespace

Window TrivialWindow(size_t rank) {
  const Dims ones(rank, 1);
  const Dims zeros(rank, 0);
  return {ones, ones, ones, ones, zeros, zeros};
}

Window ReadWindow(const Ir& ir, MlirOperation op) {
  Dims sizes;
  ReadInto(ir, op, "window_dimensions", sizes);
  return ReadSteps(ir, op, sizes, "window_dilations", "base_dilations");
}

Window ReadConvolutionWindow(const Ir& ir, MlirOperation op,
                             const Dims& sizes) {
  return ReadSteps(ir, op, sizes, "rhs_dilation", "lhs_dilation");
}

void WriteWindow(const Ir& ir, MlirOperation op, const Window& window) {
  const auto write = [&](std::string_view name, const Dims& numbers) {
    ir.SetAttribute(op, name, IntegersLike(ir, op, numbers));
  };
  write("window_dimensions", window.sizes);
  write("window_strides", window.strides);
  write("window_dilations", window.dilations);
  write("base_dilations", window.base_dilations);
  ir.SetAttribute(op, "padding", PairsLike(ir, op, window.low, window.high));
}

int64_t Places(const Window& window, size_t dimension, int64_t size) {
  const int64_t span =
      (window.sizes[dimension] - 1) * window.dilations[dimension] + 1;
  return size < span ? 0 : (size - span) / window.strides[dimension] + 1;
}

std::optional<Cumulative> CumulativeOf(const Window& window,
                                       const Dims& shape) {
  const Dims ones(shape.size(), 1);
  if (window.strides != ones || window.dilations != ones ||
      window.base_dilations != ones) {
    return std::nullopt;
  }
  std::optional<Cumulative> found;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t rest = window.sizes[d] - 1;
    if (window.low[d] + window.high[d] != rest) return std::nullopt;
    if (rest == 0) continue;
    if (found || window.sizes[d] != shape[d] ||
        (window.low[d] != rest && window.high[d] != rest)) {
      return std::nullopt;
    }
    found = Cumulative{d, window.high[d] == rest};
  }
  return found;
}

Window CumulativeWindow(const Dims& shape, const Cumulative& cumulative) {
  const size_t d = cumulative.dimension;
  Window window = TrivialWindow(shape.size());
  window.sizes[d] = shape.at(d);
  (cumulative.reverse ? window.high : window.low)[d] = shape[d] - 1;
  return window;
}

}  // namespace iree_pjrt
