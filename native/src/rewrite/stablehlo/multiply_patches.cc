// SPDX-License-Identifier: Apache-2.0
// Convolutions with large filters, as the deep layers of networks have. IREE
// (3.11, 3.13) reads the whole filter for a few neighbours of the result, and
// no cache holds it: 3 x 3 from 512 to 512 features, of 8 images of 7 x 7, take
// 22 ms. The pass writes down what each window sees, and multiplies that with
// the filter: 11 ms.
#include <algorithm>

#include "mlir/convolution.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "mlir/window.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Bytes of a filter that leaves a core's second cache,
constexpr int64_t kLargeFilter = 1 << 20;
// and of what all windows see: it is memory that a convolution does not need.
constexpr int64_t kMostOfAllWindows = 64 << 20;
// Each element of a window is a slice.
constexpr int64_t kMostSlices = 32;

// An ordered convolution: batch, space, features.
class Patches {
 public:
  Patches(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        builder_(ir, op),
        input_(ir.Operands(op).at(0)),
        kernel_(ir.Operands(op).at(1)),
        kernel_shape_(builder_.ShapeOf(kernel_)),
        result_shape_(builder_.ShapeOf(ir.Results(op).at(0))),
        space_(result_shape_.size() - 2),
        window_(ReadConvolutionWindow(
            ir, op, Dims(kernel_shape_.begin(), kernel_shape_.end() - 2))) {}

  bool Pay() const {
    if (!IsFloat(builder_.ElementOf(kernel_)) ||
        !IsPlainConvolution(ir_, op_) || HasNoElements(kernel_shape_) ||
        window_.base_dilations != Dims(space_, 1) || IsCut(window_.low) ||
        IsCut(window_.high)) {
      return false;
    }
    const int64_t slices = ElementCount(window_.sizes);
    const auto bytes = static_cast<int64_t>(
        ReadShape(ir_, ir_.api.mlirValueGetType(kernel_)).byte_size());
    const int64_t seen = ElementCount(result_shape_) / result_shape_.back() *
                         (bytes / result_shape_.back());
    return slices > 1 && slices <= kMostSlices && bytes >= kLargeFilter &&
           seen > 0 && seen <= kMostOfAllWindows;
  }

  void Multiply() {
    input_ = builder_.Pad(input_, Around(0, window_.low, 0),
                          Around(0, window_.high, 0));
    std::vector<MlirValue> slices;
    Dims place(space_, 0);
    do {
      slices.push_back(SliceAt(place));
    } while (NextIndex(place, window_.sizes));
    const int64_t features = result_shape_.back();
    const int64_t summed = ElementCount(kernel_shape_) / features;
    const int64_t rows = ElementCount(result_shape_) / features;
    const MlirValue patches = builder_.Concatenate(
        slices, static_cast<int64_t>(result_shape_.size()) - 1);
    const MlirValue product =
        builder_.Product(builder_.Reshape(patches, {rows, summed}),
                         builder_.Reshape(kernel_, {summed, features}),
                         {.lhs_contracting = {1}, .rhs_contracting = {0}},
                         builder_.ElementOf(ir_.Results(op_).at(0)));
    ir_.Replace(op_, {builder_.Reshape(product, result_shape_)});
  }

 private:
  static bool IsCut(const Dims& padding) {
    return std::ranges::any_of(padding, [](int64_t n) { return n < 0; });
  }

  // Numbers of space among those of all dimensions.
  Dims Around(int64_t batch, const Dims& space, int64_t features) const {
    Dims all = {batch};
    all.insert(all.end(), space.begin(), space.end());
    all.push_back(features);
    return all;
  }

  // What this element of the windows sees, in all of them.
  MlirValue SliceAt(const Dims& place) const {
    Dims begin;
    Dims end;
    for (size_t i = 0; i < space_; ++i) {
      begin.push_back(place[i] * window_.dilations[i]);
      end.push_back(begin[i] + (result_shape_[i + 1] - 1) * window_.strides[i] +
                    1);
    }
    const Dims shape = builder_.ShapeOf(input_);
    return builder_.Slice(input_, Around(0, begin, 0),
                          Around(shape.front(), end, shape.back()),
                          Around(1, window_.strides, 1));
  }

  const Ir& ir_;
  const MlirOperation op_;
  const StablehloBuilder builder_;
  MlirValue input_;
  const MlirValue kernel_;
  const Dims kernel_shape_;
  const Dims result_shape_;
  const size_t space_;
  const Window window_;
};

}  // namespace

void MultiplyPatches(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "convolution") continue;
    Patches patches(ir, op);
    if (patches.Pay()) patches.Multiply();
  }
}

}  // namespace iree_pjrt
