// SPDX-License-Identifier: Apache-2.0
// select_and_scatter, the gradient of max pooling. IREE (3.11 and 3.13)
// compiles it where windows are small, do not overlap and have no padding, and
// refuses the rest. The pass finds the place of each window's choice, as
// positions beside the values that the window sees. Each element of the result
// then looks whether it is the choice of one of the few windows that cover it.
// Where many cover it, the places are indices of a scatter.
#include <algorithm>

#include "mlir/attributes.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "mlir/window.h"
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/window_fold.h"

namespace iree_pjrt {
namespace {

// Over one element; beyond, a scatter is faster than to look at all.
constexpr int64_t kMostWindows = 16;
constexpr intptr_t kSelect = 0;  // the regions of the operation
constexpr intptr_t kScatter = 1;

class Expansion {
 public:
  Expansion(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        builder_(ir, op),
        array_(ir.api.mlirOperationGetOperand(op, 0)),
        source_(ir.api.mlirOperationGetOperand(op, 1)),
        initial_(ir.api.mlirOperationGetOperand(op, 2)),
        shape_(builder_.ShapeOf(array_)),
        places_(builder_.ShapeOf(source_)),
        window_(ReadWindow(ir, op)),
        index_(ElementCount(shape_) > INT32_MAX ? "i64" : "i32"),
        element_(builder_.ElementOf(initial_)) {
    if (window_.sizes.empty()) window_ = TrivialWindow(shape_.size());
  }

  MlirValue Result() const {
    if (HasNoElements(places_) || HasNoElements(shape_)) {
      return builder_.Broadcast(initial_, shape_, {});
    }
    const MlirValue chosen = Chosen();
    const Dims strides = Steps();
    int64_t windows = 1;
    for (size_t d = 0; d < shape_.size(); ++d) {
      windows *= Covering(d, strides);
    }
    return windows <= kMostWindows ? Gathered(chosen, strides)
                                   : Scattered(chosen);
  }

 private:
  // Whether the place of a window's choice along the dimension is not the place
  // of the window.
  bool IsCrossed(size_t d) const {
    return window_.sizes[d] > 1 || window_.strides[d] > 1 ||
           window_.low[d] != 0 || window_.high[d] != 0;
  }

  // From an element to the next along each dimension, row major.
  Dims RowMajor() const {
    Dims steps(shape_.size(), 1);
    for (size_t d = shape_.size(); d-- > 1;) {
      steps[d - 1] = steps[d] * shape_[d];
    }
    return steps;
  }

  MlirValue Number(const Dims& shape, int64_t number) const {
    return builder_.Splat(shape, index_, number);
  }

  MlirValue Plus(MlirValue a, MlirValue b) const {
    return a.ptr ? builder_.Apply("add", {a, b}) : b;
  }

  // (iota along `dimension` · scale + start), of the shape.
  MlirValue Ramp(const Dims& shape, size_t dimension, int64_t scale,
                 int64_t start) const {
    const MlirValue iota =
        builder_.Iota(shape, index_, static_cast<int64_t>(dimension));
    const MlirValue scaled =
        builder_.Apply("multiply", {iota, Number(shape, scale)});
    return start == 0 ? scaled : Plus(scaled, Number(shape, start));
  }

  // What the crossed dimensions have in the position of an element in the whole
  // array; of size 1 along the others.
  MlirValue Positions() const {
    Dims shape(shape_.size(), 1);
    for (size_t d = 0; d < shape.size(); ++d) {
      if (IsCrossed(d)) shape[d] = shape_[d];
    }
    MlirValue position{};
    for (size_t d = 0; d < shape.size(); ++d) {
      if (!IsCrossed(d)) continue;
      position = Plus(position, Ramp(shape, d, RowMajor()[d], 0));
    }
    return position.ptr ? position : Number(shape, 0);
  }

  bool HasPadding() const {
    return window_.low != Dims(shape_.size(), 0) ||
           window_.high != Dims(shape_.size(), 0);
  }

  // Whether the choice is made by a comparison that no NaN wins or loses.
  bool ComparesFloats() const {
    const MlirBlock body = ir_.api.mlirRegionGetFirstBlock(
        ir_.api.mlirOperationGetRegion(op_, kSelect));
    const MlirOperation first = ir_.api.mlirBlockGetFirstOperation(body);
    return HasFloats(element_) && StablehloName(ir_.Name(first)) == "compare" &&
           ReadWord(ir_, ir_.Attribute(first, "compare_type")) != "TOTALORDER";
  }

  // For each window the position of its choice, -1 if it lies in the padding.
  // Where parts of a window are combined, it is also known of each whether it
  // has a NaN: the choice is then behind the last one, and whatever comes
  // before is of no account.
  MlirValue Chosen() const {
    const bool parts = IsFoldedInParts(window_) && ComparesFloats();
    const bool padding = HasPadding();
    Arrays arrays = Padded(builder_, {array_, Positions()},
                           {initial_, Number({}, -1)}, window_);
    if (parts) {
      arrays.push_back(builder_.Compare("NE", arrays[0], arrays[0]));
    }
    const auto combine = [&](const Arrays& a, const Arrays& b) {
      const MlirValue kept = builder_.Map(op_, kSelect, 0, {a[0], b[0]});
      MlirValue next = builder_.Apply("not", {kept});
      if (parts) next = builder_.Apply("or", {next, b[2]});
      if (padding) {
        const MlirValue zero = Number(builder_.ShapeOf(a[1]), 0);
        next = builder_.Apply(
            "or", {builder_.Compare("LT", a[1], zero),
                   builder_.Apply("and",
                                  {next, builder_.Compare("GE", b[1], zero)})});
      }
      Arrays chosen = {builder_.Select(next, b[0], a[0]),
                       builder_.Select(next, b[1], a[1])};
      if (parts) chosen.push_back(builder_.Apply("or", {a[2], b[2]}));
      return chosen;
    };
    return FoldWindows(builder_, arrays, window_, combine).at(1);
  }

  // The strides; where there is one window only, as much as it is wide.
  Dims Steps() const {
    Dims strides = window_.strides;
    for (size_t d = 0; d < strides.size(); ++d) {
      if (places_[d] == 1) strides[d] = std::max(strides[d], window_.sizes[d]);
    }
    return strides;
  }

  // How many windows lie over one element.
  int64_t Covering(size_t d, const Dims& strides) const {
    return (window_.sizes[d] + strides[d] - 1) / strides[d];
  }

  // What lies low before the array and high behind; negative: is not there.
  MlirValue Shifted(MlirValue array, MlirValue fill, const Dims& low,
                    const Dims& high) const {
    const auto none = [](int64_t n) { return n <= 0; };
    if (!std::all_of(low.begin(), low.end(), none) ||
        !std::all_of(high.begin(), high.end(), none)) {
      return builder_.Pad(array, fill, low, high, Dims(low.size(), 0));
    }
    Dims begin;
    Dims end = builder_.ShapeOf(array);
    for (size_t d = 0; d < end.size(); ++d) {
      begin.push_back(-low[d]);
      end[d] += high[d];
    }
    return builder_.Slice(array, begin, end);
  }

  // With padding an element's place is stride · row + column: of the array as
  // rows and columns of each dimension, a window `back` before the row covers
  // the columns.
  struct Grid {
    Dims rows;
    Dims shape;    // rows and, where there are several, columns
    Dims along;    // the dimensions of the rows
    Dims covered;  // rows · columns
  };
  Grid GridOf(const Dims& strides) const {
    Grid grid;
    for (size_t d = 0; d < shape_.size(); ++d) {
      const int64_t end = std::max<int64_t>(shape_[d] + window_.low[d], 1);
      grid.rows.push_back((end + strides[d] - 1) / strides[d]);
      grid.along.push_back(static_cast<int64_t>(grid.shape.size()));
      grid.shape.push_back(grid.rows[d]);
      if (strides[d] > 1) grid.shape.push_back(strides[d]);
      grid.covered.push_back(grid.rows[d] * strides[d]);
    }
    return grid;
  }

  // As `Positions`, on the grid; what is outside of the array has any.
  MlirValue GridPositions(const Grid& grid, const Dims& strides) const {
    Dims shape(grid.shape.size(), 1);
    for (size_t d = 0; d < shape_.size(); ++d) {
      if (!IsCrossed(d)) continue;
      const auto row = static_cast<size_t>(grid.along[d]);
      shape[row] = grid.shape[row];
      if (strides[d] > 1) shape[row + 1] = grid.shape[row + 1];
    }
    MlirValue position{};
    for (size_t d = 0; d < shape_.size(); ++d) {
      if (!IsCrossed(d)) continue;
      const auto row = static_cast<size_t>(grid.along[d]);
      const int64_t step = RowMajor()[d];
      position = Plus(position, Ramp(shape, row, step * strides[d],
                                     -step * window_.low[d]));
      if (strides[d] > 1)
        position = Plus(position, Ramp(shape, row + 1, step, 0));
    }
    if (!position.ptr) position = Number(shape, 0);
    return builder_.Broadcast(position, grid.shape, UpTo(shape.size()));
  }

  // Each element takes the sources of the windows that chose it.
  MlirValue Gathered(MlirValue chosen, const Dims& strides) const {
    const Grid grid = GridOf(strides);
    const MlirValue positions = GridPositions(grid, strides);
    MlirValue result = builder_.Broadcast(initial_, grid.shape, {});
    Dims back;
    for (size_t d = 0; d < shape_.size(); ++d) {
      back.push_back(Covering(d, strides) - 1);
    }
    const Dims most = back;
    for (bool more = true; more; more = Previous(back, most)) {
      Dims high;
      for (size_t d = 0; d < shape_.size(); ++d) {
        high.push_back(grid.rows[d] - back[d] - places_[d]);
      }
      const MlirValue choice = builder_.Broadcast(
          Shifted(chosen, Number({}, -1), back, high), grid.shape, grid.along);
      const MlirValue source = builder_.Broadcast(
          Shifted(source_, initial_, back, high), grid.shape, grid.along);
      result = builder_.Select(builder_.Compare("EQ", choice, positions),
                               builder_.Map(op_, kScatter, 0, {result, source}),
                               result);
    }
    Dims low;
    Dims high;
    for (size_t d = 0; d < shape_.size(); ++d) {
      low.push_back(-window_.low[d]);
      high.push_back(shape_[d] + window_.low[d] - grid.covered[d]);
    }
    return Shifted(builder_.Reshape(result, grid.covered), initial_, low, high);
  }

  // The window before: of sources that meet, the first is taken first. False
  // when all have been.
  static bool Previous(Dims& back, const Dims& most) {
    for (size_t d = back.size(); d-- > 0;) {
      if (back[d]-- > 0) return true;
      back[d] = most[d];
    }
    return false;
  }

  MlirValue Scattered(MlirValue chosen) const {
    MlirValue position = chosen;
    for (size_t d = 0; d < shape_.size(); ++d) {
      if (IsCrossed(d)) continue;
      position = Plus(position, Ramp(places_, d, RowMajor()[d], 0));
    }
    // A window in the padding stays out of the array.
    const MlirValue none = Number(places_, -1);
    position =
        builder_.Select(builder_.Compare("EQ", chosen, none), none, position);
    const int64_t size = ElementCount(shape_);
    const int64_t count = ElementCount(places_);
    return builder_.Reshape(
        builder_.ScatterElements(op_, kScatter,
                                 builder_.Broadcast(initial_, {size}, {}),
                                 builder_.Reshape(position, {count, 1}),
                                 builder_.Reshape(source_, {count})),
        shape_);
  }

  const Ir& ir_;
  const MlirOperation op_;
  const StablehloBuilder builder_;
  const MlirValue array_;
  const MlirValue source_;
  const MlirValue initial_;
  const Dims shape_;
  const Dims places_;
  Window window_;
  const std::string index_;
  const std::string element_;
};

}  // namespace

void ExpandSelectAndScatter(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "select_and_scatter") continue;
    ir.Replace(op, {Expansion(ir, op).Result()});
  }
}

}  // namespace iree_pjrt
