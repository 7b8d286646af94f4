// SPDX-License-Identifier: Apache-2.0
// Convolutions that have few places for a large window, as gradients of filters
// have. IREE (3.11, 3.13) goes over the window with one vector of sums: with a
// batch of one image it reaches a tenth of the speed of a product, and with
// many features a half. The pass multiplies the window with the part of the
// array at each place.
#include <algorithm>
#include <string>

#include "mlir/convolution.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "mlir/window.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// More places take longer to compile than they gain.
constexpr int64_t kMostPlacesOfWindow = 32;
// Smaller windows are filters.
constexpr int64_t kElementsForEachPlace = 4;
// IREE adds up so many features at once,
constexpr int64_t kFeaturesOfVectors = 8;
// and is slower than a product all the same with so many results.
constexpr int64_t kManyResults = 64;

// A factor: an array with one dimension that the other does not
// have, and others that both have in the same order.
struct Factor {
  MlirValue array;
  int64_t free;
};

class Windows {
 public:
  Windows(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        builder_(ir, op),
        input_{ir.Operands(op).at(0), 0},
        kernel_{ir.Operands(op).at(1), 0},
        result_shape_(builder_.ShapeOf(ir.Results(op).at(0))),
        dims_(ReadConvolution(ir, op, result_shape_.size())),
        space_(result_shape_.size() - 2) {
    const auto inner = [](const Dims& dims) {
      return Dims(dims.begin() + 1, dims.end() - 1);
    };
    places_ = NumbersAt(result_shape_, inner(dims_.output));
    const Dims kernel = builder_.ShapeOf(kernel_.array);
    window_ = ReadConvolutionWindow(
        ir, op,
        NumbersAt(kernel, Dims(dims_.kernel.begin(), dims_.kernel.end() - 2)));
    features_ = kernel.at(static_cast<size_t>(dims_.kernel.at(space_)));
    input_.free = dims_.input.front();
    kernel_.free = dims_.kernel.back();
  }

  bool Pay() const {
    const int64_t places = ElementCount(places_);
    const int64_t results = std::min(result_shape_.at(dims_.output.front()),
                                     result_shape_.at(dims_.output.back()));
    return IsFloat(builder_.ElementOf(kernel_.array)) && IsPlain() &&
           places > 0 && results > 0 && places <= kMostPlacesOfWindow &&
           ElementCount(window_.sizes) / ElementCount(window_.base_dilations) >=
               kElementsForEachPlace * places &&
           (features_ < kFeaturesOfVectors || results >= kManyResults);
  }

  void Multiply() {
    Arrange();
    Dims low(space_ + 2, 0);
    Dims high(space_ + 2, 0);
    const Dims shape = builder_.ShapeOf(input_.array);
    for (size_t i = 0; i < space_; ++i) {
      const auto d = static_cast<size_t>(dims_.input.at(i + 1));
      for (int64_t place = 0; place < places_[i]; ++place) {
        const Reach reach = ReachOf(i, place);
        const int64_t last = reach.input + (reach.count - 1) * Step(i);
        low[d] = std::max(low[d], -reach.input);
        high[d] = std::max(high[d], last + 1 - shape.at(d));
      }
    }
    input_.array = builder_.Pad(input_.array, low, high);
    std::vector<MlirValue> products;
    Dims place(space_, 0);
    do {
      products.push_back(ProductAt(place, low));
    } while (NextIndex(place, places_));
    Finish(products);
  }

 private:
  // Along a dimension of space, what a window sees at a place: so many elements
  // of the kernel, as far apart as those of the input are spread, and elements
  // of the input, without its padding.
  struct Reach {
    int64_t kernel;
    int64_t input;
    int64_t count;
  };

  Reach ReachOf(size_t i, int64_t place) const {
    const int64_t spread = window_.base_dilations[i];
    const int64_t begin = place * window_.strides[i] - window_.low[i];
    const int64_t kernel = ((-begin) % spread + spread) % spread;
    return {kernel, (begin + kernel) / spread,
            (window_.sizes[i] - kernel + spread - 1) / spread};
  }

  // From an element of the input that a window sees to the next.
  int64_t Step(size_t i) const { return window_.dilations[i]; }

  bool IsPlain() const {
    if (!IsPlainConvolution(ir_, op_)) return false;
    for (size_t i = 0; i < space_; ++i) {
      if (window_.base_dilations[i] > 1 &&
          (window_.dilations[i] > 1 ||
           window_.sizes[i] < window_.base_dilations[i])) {
        return false;
      }
    }
    return true;
  }

  // Both factors get the dimensions that they share in one order, and before or
  // after them the one that is their own.
  void Arrange() {
    // Of the input, by what they are: space, features.
    Dims shared(dims_.input.begin() + 1, dims_.input.end());
    Dims kernel_shared(dims_.kernel.begin(), dims_.kernel.end() - 1);
    Dims order = UpTo(shared.size());
    std::ranges::sort(order, {}, [&](int64_t i) {
      return shared.at(static_cast<size_t>(i));
    });
    dims_.input = Place(input_, NumbersAt(shared, order), order);
    kernel_places_ = Place(kernel_, NumbersAt(kernel_shared, order), order);
  }

  // Transposes the factor, if need be; returns where batch, space and features
  // are then.
  Dims Place(Factor& factor, const Dims& shared, const Dims& roles) const {
    Dims order = shared;
    const bool first = factor.free < *std::ranges::min_element(shared);
    order.insert(first ? order.begin() : order.end(), factor.free);
    factor.array = builder_.Transpose(factor.array, order);
    factor.free = first ? 0 : static_cast<int64_t>(shared.size());
    Dims where(roles.size() + 1, factor.free);
    for (size_t i = 0; i < roles.size(); ++i) {
      where.at(static_cast<size_t>(roles[i]) + 1) =
          static_cast<int64_t>(i) + (first ? 1 : 0);
    }
    return where;
  }

  // A matrix: the dimension of its own, and all others.
  MlirValue Flat(const Factor& factor) const {
    const Dims shape = builder_.ShapeOf(factor.array);
    const int64_t free = shape.at(static_cast<size_t>(factor.free));
    const int64_t rest = ElementCount(shape) / free;
    return builder_.Reshape(
        factor.array, factor.free == 0 ? Dims{free, rest} : Dims{rest, free});
  }

  // `low`: the padding of the input.
  MlirValue ProductAt(const Dims& place, const Dims& low) const {
    Dims begin(space_ + 2, 0);
    Dims end = builder_.ShapeOf(input_.array);
    Dims steps(space_ + 2, 1);
    Dims kernel_begin = begin;
    Dims kernel_end = builder_.ShapeOf(kernel_.array);
    Dims kernel_steps = steps;
    for (size_t i = 0; i < space_; ++i) {
      const Reach reach = ReachOf(i, place[i]);
      const auto d = static_cast<size_t>(dims_.input.at(i + 1));
      begin.at(d) = reach.input + low.at(d);
      steps.at(d) = Step(i);
      end.at(d) = begin[d] + (reach.count - 1) * steps[d] + 1;
      const auto k = static_cast<size_t>(kernel_places_.at(i + 1));
      kernel_begin.at(k) = reach.kernel;
      kernel_steps.at(k) = window_.base_dilations[i];
    }
    const auto part = [&](const Factor& factor, const Dims& from,
                          const Dims& to, const Dims& by) {
      return Flat({builder_.Slice(factor.array, from, to, by), factor.free});
    };
    const auto shared = [](const Factor& factor) -> Dims {
      return {factor.free == 0 ? 1 : 0};
    };
    return builder_.Product(
        part(input_, begin, end, steps),
        part(kernel_, kernel_begin, kernel_end, kernel_steps),
        {.lhs_contracting = shared(input_), .rhs_contracting = shared(kernel_)},
        builder_.ElementOf(ir_.Results(op_).at(0)));
  }

  // The products, one below the other, become the result.
  void Finish(const std::vector<MlirValue>& products) const {
    const MlirValue all = builder_.Concatenate(products, 0);
    const auto size = [&](int64_t d) {
      return result_shape_.at(static_cast<size_t>(d));
    };
    Dims shape = places_;
    shape.push_back(size(dims_.output.front()));
    shape.push_back(size(dims_.output.back()));
    // What each dimension of the product is in the result.
    Dims result(dims_.output.begin() + 1, dims_.output.end());
    result.insert(result.end() - 1, dims_.output.front());
    ir_.Replace(op_, {builder_.Transpose(builder_.Reshape(all, shape),
                                         Inverse(result))});
  }

  const Ir& ir_;
  const MlirOperation op_;
  const StablehloBuilder builder_;
  Factor input_;
  Factor kernel_;
  Dims kernel_places_;  // of batch, space and features
  const Dims result_shape_;
  ConvolutionDims dims_;
  const size_t space_;
  Dims places_;
  Window window_;
  int64_t features_;
};

}  // namespace

void MultiplyWindows(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "convolution") continue;
    Windows windows(ir, op);
    if (windows.Pay()) windows.Multiply();
  }
}

}  // namespace iree_pjrt
