// SPDX-License-Identifier: Apache-2.0
#include "rewrite/stablehlo/flat_places.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "mlir/attributes.h"
#include "mlir/stablehlo_names.h"

namespace iree_pjrt {

bool ArePutTogether(const Ir& ir, MlirValue indices, int64_t vector) {
  const MlirOperation joined = ir.Definition(indices);
  return joined.ptr && StablehloName(ir.Name(joined)) == "concatenate" &&
         ReadInteger(ir, BuiltinAttribute(ir, joined, "dimension")) == vector;
}

FlatPlaces::FlatPlaces(const Ir& ir, const StablehloBuilder& builder,
                       const DimensionNumbers& numbers, Dims shape)
    : ir_(ir),
      builder_(builder),
      numbers_(numbers),
      shape_(std::move(shape)),
      first_(numbers.indexed.empty() ? 0 : std::ranges::min(numbers.indexed)),
      more_(std::ssize(numbers.indexed) - 1) {}

bool FlatPlaces::Exist() const {
  return more_ > 0 && std::ranges::max(numbers_.indexed) == first_ + more_ &&
         numbers_.batching.empty() && !HasNoElements(shape_) &&
         std::ranges::all_of(numbers_.indexed, [this](int64_t d) {
           return IsIn(numbers_.inserted, d);
         });
}

Dims FlatPlaces::Flat(const Dims& sizes) const {
  const auto begin = sizes.begin() + static_cast<ptrdiff_t>(first_);
  const auto end = begin + static_cast<ptrdiff_t>(more_) + 1;
  Dims flat(sizes.begin(), begin);
  flat.push_back(
      std::accumulate(begin, end, int64_t{1}, std::multiplies<int64_t>()));
  flat.insert(flat.end(), end, sizes.end());
  return flat;
}

DimensionNumbers FlatPlaces::Numbers() const {
  DimensionNumbers numbers = numbers_;
  numbers.inserted = {first_};
  for (const int64_t d : numbers_.inserted) {
    if (d < first_) numbers.inserted.push_back(d);
    if (d > first_ + more_) numbers.inserted.push_back(d - more_);
  }
  std::ranges::sort(numbers.inserted);
  numbers.indexed = {first_};
  return numbers;
}

// How far apart two neighbours along an indexed dimension are.
int64_t FlatPlaces::StepOf(int64_t dimension) const {
  int64_t step = 1;
  for (const int64_t d : numbers_.indexed) {
    if (d > dimension) step *= shape_.at(static_cast<size_t>(d));
  }
  return step;
}

// A component of each index, signed.
MlirValue FlatPlaces::Component(MlirValue indices, int64_t i) const {
  const auto d = static_cast<size_t>(numbers_.vector);
  while (ArePutTogether(ir_, indices, numbers_.vector)) {
    for (const MlirValue part : ir_.Operands(ir_.Definition(indices))) {
      indices = part;
      const int64_t count = builder_.ShapeOf(part).at(d);
      if (i < count) break;
      i -= count;
    }
  }
  return SignedIndices(builder_,
                       ComponentOf(builder_, indices, numbers_.vector, i));
}

FlatPlaces::Places FlatPlaces::Of(MlirValue indices) const {
  std::vector<MlirValue> components;
  Dims limits;
  for (int64_t i = 0; i <= more_; ++i) {
    components.push_back(Component(indices, i));
    limits.push_back(shape_.at(static_cast<size_t>(numbers_.indexed.at(i))) -
                     1);
  }
  const ClampedIndices clamped = Clamp(builder_, components, limits);
  const std::string element =
      ElementCount(shape_) <= std::numeric_limits<int32_t>::max() ? "i32"
                                                                  : "i64";
  MlirValue nearest{nullptr};
  for (size_t i = 0; i < components.size(); ++i) {
    MlirValue part = clamped.nearest[i];
    if (builder_.ElementOf(part) != element) {
      part = builder_.Convert(part, element);
    }
    part = builder_.Apply("multiply",
                          {part, builder_.Splat(builder_.ShapeOf(part), element,
                                                StepOf(numbers_.indexed[i]))});
    nearest = nearest.ptr ? builder_.Apply("add", {nearest, part}) : part;
  }
  return {nearest, clamped.fits};
}

}  // namespace iree_pjrt
