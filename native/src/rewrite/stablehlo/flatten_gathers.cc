// SPDX-License-Identifier: Apache-2.0
// Gathers at indices of several components: x[i, j]. JAX puts the components
// side by side in one array. IREE (3.13) writes that array, and reads it again
// for each element, one by one. The pass makes one number of the components,
// the place in the array without these dimensions.
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "mlir/attributes.h"
#include "mlir/dimension_numbers.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/scatter.h"

namespace iree_pjrt {
namespace {

constexpr char kSizes[] = "slice_sizes";

class Gather {
 public:
  Gather(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        builder_(ir, op),
        numbers_(ReadDimensionNumbers(ir, op)),
        array_(ir.Operands(op).at(0)),
        indices_(ir.Operands(op).at(1)),
        shape_(builder_.ShapeOf(array_)) {}

  // Whether indices are of several dimensions side by side, of which no slice
  // has more than one place.
  bool IsFlattened() const {
    const auto [first, last] = std::ranges::minmax(numbers_.indexed);
    const auto count = static_cast<int64_t>(numbers_.indexed.size());
    return last - first + 1 == count && numbers_.batching.empty() &&
           !HasNoElements(shape_) &&
           !HasNoElements(builder_.ShapeOf(indices_)) &&
           std::ranges::all_of(numbers_.indexed, [this](int64_t d) {
             return IsIn(numbers_.inserted, d);
           });
  }

  void Flatten() {
    const auto first = std::ranges::min(numbers_.indexed);
    const auto more = static_cast<int64_t>(numbers_.indexed.size()) - 1;
    const MlirValue array =
        builder_.Reshape(array_, WithOne(shape_, first, more));
    const MlirValue places = Places();
    const MlirOperation flat = ir_.CloneBefore(op_, op_);
    ir_.api.mlirOperationSetOperand(flat, 0, array);
    ir_.api.mlirOperationSetOperand(flat, 1, places);
    DimensionNumbers numbers = numbers_;
    numbers.inserted = {first};
    for (const int64_t d : numbers_.inserted) {
      if (d < first) numbers.inserted.push_back(d);
      if (d > first + more) numbers.inserted.push_back(d - more);
    }
    std::ranges::sort(numbers.inserted);
    numbers.indexed = {first};
    numbers.vector = static_cast<int64_t>(builder_.ShapeOf(places).size());
    WriteDimensionNumbers(ir_, flat, numbers);
    const Dims sizes = ReadIntegers(ir_, BuiltinAttribute(ir_, op_, kSizes));
    ir_.SetAttribute(flat, kSizes,
                     IntegersLike(ir_, op_, WithOne(sizes, first, more)));
    ir_.Replace(op_, ir_.Results(flat));
  }

 private:
  // One number for this one and so many more, which is their product.
  static Dims WithOne(const Dims& numbers, int64_t first, int64_t more) {
    const auto begin = numbers.begin() + static_cast<ptrdiff_t>(first);
    const auto end = begin + static_cast<ptrdiff_t>(more) + 1;
    Dims fewer(numbers.begin(), begin);
    fewer.push_back(
        std::accumulate(begin, end, int64_t{1}, std::multiplies<int64_t>()));
    fewer.insert(fewer.end(), end, numbers.end());
    return fewer;
  }

  // A component of each index, signed.
  MlirValue Component(size_t i) const {
    const MlirOperation joined = ir_.Definition(indices_);
    const std::vector<MlirValue> parts =
        joined.ptr && StablehloName(ir_.Name(joined)) == "concatenate" &&
                ReadInteger(ir_, BuiltinAttribute(ir_, joined, "dimension")) ==
                    numbers_.vector
            ? ir_.Operands(joined)
            : std::vector<MlirValue>();
    Dims end = builder_.ShapeOf(indices_);
    const auto d = static_cast<size_t>(numbers_.vector);
    MlirValue part;
    if (parts.size() == numbers_.indexed.size()) {
      part = parts[i];
    } else {
      Dims begin(end.size(), 0);
      begin.at(d) = static_cast<int64_t>(i);
      end.at(d) = begin.at(d) + 1;
      part = builder_.Slice(indices_, begin, end);
    }
    end.erase(end.begin() + static_cast<ptrdiff_t>(d));
    return SignedIndices(builder_, builder_.Reshape(part, end));
  }

  // The places of the slices in the flattened dimension.
  MlirValue Places() const {
    std::vector<MlirValue> components;
    Dims limits;
    for (size_t i = 0; i < numbers_.indexed.size(); ++i) {
      components.push_back(Component(i));
      limits.push_back(shape_.at(static_cast<size_t>(numbers_.indexed[i])) - 1);
    }
    components = Clamp(builder_, components, limits).nearest;
    const std::string element =
        ElementCount(shape_) <= std::numeric_limits<int32_t>::max() ? "i32"
                                                                    : "i64";
    MlirValue places{nullptr};
    for (size_t i = 0; i < components.size(); ++i) {
      MlirValue part = components[i];
      if (builder_.ElementOf(part) != element) {
        part = builder_.Convert(part, element);
      }
      const Dims shape = builder_.ShapeOf(part);
      part = builder_.Apply("multiply",
                            {part, builder_.Splat(shape, element, StepOf(i))});
      places = places.ptr ? builder_.Apply("add", {places, part}) : part;
    }
    return places;
  }

  // How far apart two neighbours along the dimension of a component are.
  int64_t StepOf(size_t component) const {
    int64_t step = 1;
    for (const int64_t d : numbers_.indexed) {
      if (d > numbers_.indexed[component]) {
        step *= shape_.at(static_cast<size_t>(d));
      }
    }
    return step;
  }

  const Ir& ir_;
  const MlirOperation op_;
  const StablehloBuilder builder_;
  const DimensionNumbers numbers_;
  const MlirValue array_;
  const MlirValue indices_;
  const Dims shape_;
};

}  // namespace

void FlattenGathers(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "gather" ||
        ReadDimensionNumbers(ir, op).indexed.size() < 2) {
      continue;
    }
    if (Gather gather(ir, op); gather.IsFlattened()) gather.Flatten();
  }
}

}  // namespace iree_pjrt
