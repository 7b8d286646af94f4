// SPDX-License-Identifier: Apache-2.0
#include "rewrite/stablehlo/window_fold.h"

#include <cmath>

namespace iree_pjrt {
namespace {

// Windows of 7 by 7 and 4 by 4 by 4 are below. Compiling takes some 10 ms for
// each element.
constexpr int64_t kMostInOne = 64;

class Folding {
 public:
  Folding(const StablehloBuilder& builder, const Combine& combine)
      : builder_(builder), combine_(combine) {}

  // One element of the window after the other, the last dimension fastest.
  Arrays Unrolled(const Arrays& arrays, const Window& window) const {
    Arrays folded;
    Dims offset(window.sizes.size(), 0);
    for (bool more = true; more; more = Next(window.sizes, offset)) {
      const Arrays taken = Taken(arrays, window, offset);
      folded = folded.empty() ? taken : combine_(folded, taken);
    }
    return folded;
  }

  // A window along one dimension only.
  Arrays Along(const Arrays& arrays, size_t dimension, int64_t size,
               int64_t stride, int64_t dilation) const {
    const int64_t length = builder_.ShapeOf(arrays[0])[dimension];
    Window window = TrivialWindow(builder_.ShapeOf(arrays[0]).size());
    window.sizes[dimension] = size;
    window.strides[dimension] = stride;
    window.dilations[dimension] = dilation;
    if (size <= kMostInOne) return Unrolled(arrays, window);
    const int64_t places = Places(window, dimension, length);
    const bool apart = dilation == 1;
    const int64_t part = PartOf(size, apart && places > 1 ? stride : 1);
    const int64_t parts = size / part;
    if (places == 1) stride = part * parts;
    const bool strided = apart && stride % part == 0;
    Arrays folded =
        Along(arrays, dimension, part, strided ? part : 1, dilation);
    folded = strided ? Along(folded, dimension, parts, stride / part, 1)
                     : Along(folded, dimension, parts, stride, dilation * part);
    folded = Cut(folded, dimension, 0, places);
    const int64_t rest = size - part * parts;
    if (rest == 0) return folded;
    const int64_t begin = part * parts * dilation;
    Arrays last = Cut(arrays, dimension, begin, length - begin);
    last = Along(last, dimension, rest, stride, dilation);
    return combine_(folded, Cut(last, dimension, 0, places));
  }

 private:
  // False when all have been.
  static bool Next(const Dims& sizes, Dims& offset) {
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++offset[d] < sizes[d]) return true;
      offset[d] = 0;
    }
    return false;
  }

  // How many elements are combined first: such that the parts of all windows
  // are few, where the stride has a divisor for it; else as many as there are
  // parts.
  static int64_t PartOf(int64_t size, int64_t stride) {
    constexpr int64_t kLeast = 4;
    for (int64_t part = kMostInOne; part >= kLeast; --part) {
      if (part <= size && stride % part == 0) return part;
    }
    return static_cast<int64_t>(std::sqrt(static_cast<double>(size)));
  }

  // At each place the element of the window at the offset.
  Arrays Taken(const Arrays& arrays, const Window& window,
               const Dims& offset) const {
    const Dims whole = builder_.ShapeOf(arrays[0]);
    Dims shape;
    for (size_t d = 0; d < whole.size(); ++d) {
      shape.push_back(Places(window, d, whole[d]));
    }
    const Dims all = UpTo(shape.size());
    Arrays taken;
    for (const MlirValue array : arrays) {
      const Dims from = builder_.ShapeOf(array);
      Dims begin(shape.size(), 0);
      Dims end(shape.size(), 1);
      Dims strides(shape.size(), 1);
      for (size_t d = 0; d < shape.size(); ++d) {
        if (from[d] != whole[d]) continue;
        begin[d] = offset[d] * window.dilations[d];
        end[d] = begin[d] + (shape[d] - 1) * window.strides[d] + 1;
        strides[d] = window.strides[d];
      }
      const MlirValue slice = builder_.Slice(array, begin, end, strides);
      taken.push_back(builder_.ShapeOf(slice) == shape
                          ? slice
                          : builder_.Broadcast(slice, shape, all));
    }
    return taken;
  }

  Arrays Cut(const Arrays& arrays, size_t dimension, int64_t begin,
             int64_t size) const {
    Arrays cut;
    for (const MlirValue array : arrays) {
      Dims end = builder_.ShapeOf(array);
      Dims from(end.size(), 0);
      if (end[dimension] > 1) {
        from[dimension] = begin;
        end[dimension] = begin + size;
      }
      cut.push_back(builder_.Slice(array, from, end));
    }
    return cut;
  }

  const StablehloBuilder& builder_;
  const Combine& combine_;
};

}  // namespace

bool IsFoldedInParts(const Window& window) {
  return ElementCount(window.sizes) > kMostInOne;
}

Arrays Padded(const StablehloBuilder& builder, const Arrays& arrays,
              const Arrays& fills, const Window& window) {
  Dims interior = window.base_dilations;
  for (int64_t& number : interior) --number;
  Arrays padded;
  for (size_t i = 0; i < arrays.size(); ++i) {
    padded.push_back(
        builder.Pad(arrays[i], fills.at(i), window.low, window.high, interior));
  }
  return padded;
}

Arrays FoldWindows(const StablehloBuilder& builder, const Arrays& padded,
                   const Window& window, const Combine& combine) {
  const Folding folding(builder, combine);
  if (!IsFoldedInParts(window)) return folding.Unrolled(padded, window);
  Arrays folded = padded;
  for (size_t d = window.sizes.size(); d-- > 0;) {
    if (window.sizes[d] == 1 && window.strides[d] == 1) continue;
    folded = folding.Along(folded, d, window.sizes[d], window.strides[d],
                           window.dilations[d]);
  }
  return folded;
}

}  // namespace iree_pjrt
