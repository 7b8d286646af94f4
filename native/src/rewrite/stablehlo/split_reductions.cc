// SPDX-License-Identifier: Apache-2.0
// Long reductions. IREE 3.11 and 3.13 take one vector after another, so that
// errors of sums grow with the length, and compute each result on one core: a
// whole array, or a few long columns, on one or two. The pass reduces parts
// side by side, and then their results. StableHLO leaves the order of a
// reduction to the implementation, and its initial value changes nothing
// however often it is taken (`reduce`).
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/elementwise.h"
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/vectors.h"

namespace iree_pjrt {
namespace {

// Below, a second reduction costs more than the first one gains.
constexpr int64_t kLeast = 1 << 16;
// More parts than any machine's cores need.
constexpr int64_t kPartCount = 128;
// Lanes of vectors sum along the last dimension, each its own share; along
// another one, each lane has a result, and all that belongs to it.
constexpr int64_t kRow = 2048;
constexpr int64_t kColumn = 64;
constexpr int64_t kLongestColumn = 512;
// The elements in vectors of float32.
constexpr int64_t kFillsMost = 16;

int64_t CountIn(const Dims& shape, size_t begin, size_t end) {
  return ElementCount(std::span(shape).subspan(begin, end - begin));
}

// The multiple of `step` within a factor of two of `part` that divides `length`
// and is nearest; 0 if there is none.
int64_t DivisorNear(int64_t part, int64_t length, int64_t step) {
  int64_t best = 0;
  for (int64_t size = std::max(step, part / 2 / step * step); size <= 2 * part;
       size += step) {
    if (length % size != 0 || size >= length) continue;
    if (std::abs(size - part) < std::abs(best - part)) best = size;
  }
  return best;
}

// A reduction of one array.
class Reduction {
 public:
  Reduction(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        builder_(ir, op),
        array_(ir.api.mlirOperationGetOperand(op, 0)),
        shape_(builder_.ShapeOf(array_)),
        dimensions_(ReadIntegers(ir, BuiltinAttribute(ir, op, "dimensions"))) {
    std::ranges::sort(dimensions_);
  }

  bool IsWorthParts() const {
    return ElementCount(shape_) >= kLeast && !IsSpread();
  }

  // The operations that do the same in parts; none where it is to stay.
  std::vector<MlirOperation> Divide() const {
    if (dimensions_.empty()) return {};
    const auto end = static_cast<size_t>(dimensions_.back()) + 1;
    size_t begin = end - 1;
    size_t first = dimensions_.size() - 1;  // of the last adjacent ones
    while (first > 0 &&
           dimensions_[first - 1] == static_cast<int64_t>(begin) - 1) {
      --first;
      --begin;
    }
    const int64_t length = CountIn(shape_, begin, end);
    if (first > 0) {
      int64_t all = length;
      for (size_t i = 0; i < first; ++i) {
        all *= shape_[static_cast<size_t>(dimensions_[i])];
      }
      if (all <= kLeast) return {};
      return InTwo(
          array_, dimensions_,
          Dims(dimensions_.begin() + static_cast<std::ptrdiff_t>(first),
               dimensions_.end()));
    }
    const bool rows = end == shape_.size();
    const bool whole = rows && begin == 0;
    if (length < (rows ? kLeast : kLongestColumn + 1)) return {};
    const int64_t share = length / kPartCount / kFillsVectors * kFillsVectors;
    const int64_t part =
        whole ? std::min(kRow, share) : (rows ? kRow : kColumn);
    return Parts(begin, end, part, rows);
  }

 private:
  std::vector<MlirOperation> Parts(size_t begin, size_t end, int64_t part,
                                   bool rows) const {
    const bool joins = end - begin > 1 && !TakesAnyShape(ir_, array_);
    const int64_t lines = rows || joins ? 1 : LinesToFillVectors(end);
    // Dimensions as they are, if they make good parts.
    size_t d = end - 1;
    while (d > begin && CountIn(shape_, d, end) < part / 4) --d;
    if (lines == 1 && CountIn(shape_, d, end) <= 4 * part &&
        CountIn(shape_, begin, d) > 1) {
      return InTwo(array_, dimensions_, Places(d, end));
    }
    if (rows && end - begin > 1) {
      const int64_t inner = CountIn(shape_, d + 1, end);
      for (const int64_t fills : {kFillsVectors, kFillsMost}) {
        const int64_t count =
            DivisorNear(std::max(part / inner, int64_t{1}), shape_[d],
                        fills / std::gcd(inner, fills));
        if (count != 0) return WithinOne(d, count);
      }
    }
    const int64_t length = CountIn(shape_, begin, end);
    int64_t size = DivisorNear(part, length, rows ? kFillsVectors : lines);
    if (size != 0) {
      return OfSize(begin, end, {length / size, size, lines});
    }
    size = DivisorNear(part, length, rows ? kFillsMost : 1);
    return size == 0 ? WithRest(begin, end, part)
                     : OfSize(begin, end, {length / size, size, 1});
  }

  // How many lines of columns are together a multiple of a vector.
  int64_t LinesToFillVectors(size_t end) const {
    const int64_t columns = CountIn(shape_, end, shape_.size());
    return kFillsMost / std::gcd(columns, kFillsMost);
  }

  // One value, or a few, all over: of its parts IREE makes vectors that it then
  // refuses as too large ("large vector sizes", gradient of a bias).
  bool IsSpread() const {
    MlirOperation from = ir_.Definition(array_);
    while (from.ptr && StablehloName(ir_.Name(from)) == "convert") {
      from = ir_.Definition(ir_.api.mlirOperationGetOperand(from, 0));
    }
    if (!from.ptr) return false;
    const std::string_view name = StablehloName(ir_.Name(from));
    return name == "constant" || name == "broadcast_in_dim";
  }

  static Dims Places(size_t begin, size_t end) {
    Dims places(end - begin);
    std::iota(places.begin(), places.end(), static_cast<int64_t>(begin));
    return places;
  }

  // Reduces of these dimensions `first` first, and then the others.
  std::vector<MlirOperation> InTwo(MlirValue array, const Dims& dimensions,
                                   const Dims& first) const {
    Dims rest;  // as the partial result has them
    for (const int64_t d : dimensions) {
      if (std::ranges::find(first, d) != first.end()) continue;
      rest.push_back(
          d - std::ranges::count_if(first, [&](int64_t f) { return f < d; }));
    }
    const MlirOperation partial = Reduce(array, first);
    const MlirOperation last = Reduce(ResultOf(partial), rest);
    ir_.Replace(op_, {ResultOf(last)});
    return {partial, last};
  }

  // The parts are so many elements of dimension `d` with all after it. (What
  // the array is computed of can take that shape, and no other.)
  std::vector<MlirOperation> WithinOne(size_t d, int64_t count) const {
    Dims shape = shape_;
    shape[d] /= count;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(d) + 1, count);
    const auto begin = static_cast<size_t>(dimensions_.front());
    return InTwo(builder_.Reshape(array_, shape), Places(begin, shape.size()),
                 Places(d + 1, shape.size()));
  }

  struct Division {
    int64_t count;  // of parts
    int64_t size;   // of each
    int64_t lines;  // of columns that fill vectors; divides the size
  };
  // Gives the array two or three dimensions for those that are reduced.
  std::vector<MlirOperation> OfSize(size_t begin, size_t end,
                                    const Division& parts) const {
    Dims divided = {parts.count, parts.size / parts.lines};
    if (parts.lines > 1) divided.push_back(parts.lines);
    return InTwo(ArrayIn(With(begin, end, divided)),
                 Places(begin, begin + divided.size()),
                 {static_cast<int64_t>(begin) + 1});
  }

  // A length without a good divisor: parts of this size, and what is left.
  std::vector<MlirOperation> WithRest(size_t begin, size_t end,
                                      int64_t size) const {
    const int64_t length = CountIn(shape_, begin, end);
    const Dims flat = With(begin, end, {length});
    const MlirValue array = ArrayIn(flat);
    Dims from(flat.size(), 0);
    Dims to = flat;
    to[begin] = length / size * size;
    const Dims reduced = {static_cast<int64_t>(begin)};
    const MlirOperation most = Reduce(builder_.Slice(array, from, to), reduced);
    from[begin] = to[begin];
    to[begin] = length;
    const MlirOperation rest = Reduce(builder_.Slice(array, from, to), reduced);
    ir_.Replace(op_,
                {builder_.Map(op_, 0, 0, {ResultOf(most), ResultOf(rest)})});
    return {most, rest};
  }

  MlirValue ArrayIn(const Dims& shape) const {
    return TakesAnyShape(ir_, array_) ? InShape(ir_, op_, array_, shape)
                                      : builder_.Reshape(array_, shape);
  }

  // The shape, with others for the dimensions that are reduced.
  Dims With(size_t begin, size_t end, const Dims& others) const {
    Dims shape(shape_.begin(),
               shape_.begin() + static_cast<std::ptrdiff_t>(begin));
    shape.insert(shape.end(), others.begin(), others.end());
    shape.insert(shape.end(), shape_.begin() + static_cast<std::ptrdiff_t>(end),
                 shape_.end());
    return shape;
  }

  MlirOperation Reduce(MlirValue array, const Dims& dimensions) const {
    Dims shape = builder_.ShapeOf(array);
    for (size_t i = dimensions.size(); i-- > 0;) {
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dimensions[i]));
    }
    const MlirOperation reduce = ir_.CloneBefore(op_, op_);
    ir_.api.mlirOperationSetOperand(reduce, 0, array);
    ir_.SetAttribute(reduce, "dimensions",
                     IntegersLike(ir_, reduce, dimensions));
    ir_.api.mlirValueSetType(
        ResultOf(reduce),
        ir_.ParseType(builder_.TypeOf(ResultOf(op_)).Reshaped(shape)));
    return reduce;
  }

  MlirValue ResultOf(MlirOperation op) const {
    return ir_.api.mlirOperationGetResult(op, 0);
  }

  const Ir& ir_;
  const MlirOperation op_;
  const StablehloBuilder builder_;
  const MlirValue array_;
  const Dims shape_;
  Dims dimensions_;
};

bool IsOfOneArray(const Ir& ir, MlirOperation op) {
  return StablehloName(ir.Name(op)) == "reduce" &&
         ir.api.mlirOperationGetNumOperands(op) == 2 &&
         ArrayTypeOf(ir, ir.api.mlirOperationGetOperand(op, 0));
}

}  // namespace

void SplitReductions(const Ir& ir) {
  std::vector<MlirOperation> todo;
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsOfOneArray(ir, op) && Reduction(ir, op).IsWorthParts()) {
      todo.push_back(op);
    }
  }
  while (!todo.empty()) {
    const Reduction reduction(ir, todo.back());
    todo.pop_back();
    for (const MlirOperation part : reduction.Divide()) todo.push_back(part);
  }
}

}  // namespace iree_pjrt
