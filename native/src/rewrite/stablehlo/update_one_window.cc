// SPDX-License-Identifier: Apache-2.0
// Scatters of a single window, `x.at[:, i].set(y)`: nothing is written twice.
// IREE's scatter indexes the first dimensions, so that for others all of the
// array would be transposed, there and back: in a loop over 100 columns of 100
// by 40,000 numbers half a second. A slice is updated instead, in place; what
// does not fit is skipped (StableHLO's `scatter`): then the slice stays.
#include <algorithm>

#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/scatter.h"

namespace iree_pjrt {
namespace {

class OneWindow {
 public:
  explicit OneWindow(const Scatter& scatter)
      : scatter_(scatter),
        builder_(scatter.builder),
        sizes_(scatter.WindowSizes()),
        limits_(scatter.Limits()),
        is_all_(builder_.ShapeOf(scatter.arrays.at(0)) == sizes_) {}

  bool IsOne() const {
    return ElementCount(scatter_.BatchShape()) == 1 &&
           scatter_.numbers.batching.empty() && !HasNoElements(sizes_) &&
           std::ranges::all_of(limits_,
                               [](int64_t limit) { return limit >= 0; });
  }

  void Update() const {
    const std::vector<MlirValue> components = Components();
    const std::vector<MlirValue> starts = Starts(components);
    std::vector<MlirValue> old;
    std::vector<MlirValue> operands;
    for (const MlirValue array : scatter_.arrays) {
      old.push_back(is_all_ ? array
                            : builder_.DynamicSlice(array, starts, sizes_));
    }
    operands = old;
    for (const MlirValue update : scatter_.updates) {
      operands.push_back(builder_.Reshape(update, sizes_));
    }
    const MlirValue mask = Fits(components);
    std::vector<MlirValue> results;
    for (size_t i = 0; i < old.size(); ++i) {
      MlirValue part = Combined(i, operands);
      if (mask.ptr) part = builder_.Select(mask, part, old[i]);
      results.push_back(is_all_ ? part
                                : builder_.DynamicUpdateSlice(
                                      scatter_.arrays[i], part, starts));
    }
    scatter_.ir.Replace(scatter_.op, results);
  }

 private:
  // A scalar for each dimension of the array.
  std::vector<MlirValue> Starts(
      const std::vector<MlirValue>& components) const {
    const std::string element =
        components.empty() ? "i32" : builder_.ElementOf(components[0]);
    std::vector<MlirValue> starts(sizes_.size(),
                                  builder_.Splat({}, element, 0));
    for (size_t k = 0; k < components.size(); ++k) {
      starts.at(static_cast<size_t>(scatter_.numbers.indexed[k])) =
          components[k];
    }
    return starts;
  }

  // The index, as scalars. Most are put together from arrays of one number.
  std::vector<MlirValue> Components() const {
    const Ir& ir = scatter_.ir;
    const MlirOperation made = ir.Definition(scatter_.indices);
    std::vector<MlirValue> parts;
    if (made.ptr && StablehloName(ir.Name(made)) == "concatenate") {
      parts = ir.Operands(made);
    }
    const size_t count = limits_.size();
    if (parts.size() != count || !std::ranges::all_of(parts, [&](MlirValue v) {
          return ElementCount(builder_.ShapeOf(v)) == 1;
        })) {
      parts.clear();
      const auto all = static_cast<int64_t>(count);
      for (int64_t k = 0; k < all; ++k) {
        parts.push_back(builder_.Slice(
            builder_.Reshape(scatter_.indices, {all}), {k}, {k + 1}));
      }
    }
    std::vector<MlirValue> components;
    for (const MlirValue part : parts) {
      components.push_back(builder_.Reshape(SignedIndices(builder_, part), {}));
    }
    return components;
  }

  // What the scatter makes of the window; `operands`: of the arrays, then of
  // the updates.
  MlirValue Combined(size_t i, const std::vector<MlirValue>& operands) const {
    const Ir& ir = scatter_.ir;
    const MlirBlock body = ir.Body(scatter_.op);
    const MlirValue result = ir.Operands(ir.Terminator(body)).at(i);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (ir.api.mlirBlockGetArgument(body, static_cast<intptr_t>(k)).ptr ==
          result.ptr) {
        return operands[k];
      }
    }
    return builder_.Map(scatter_.op, 0, static_cast<intptr_t>(i), operands);
  }

  // For each element of the window whether it fits into the array; null where
  // it surely does.
  MlirValue Fits(const std::vector<MlirValue>& components) const {
    if (limits_.empty() || SurelyFit(scatter_.ir, scatter_.indices,
                                     scatter_.numbers.vector, limits_)) {
      return {nullptr};
    }
    const MlirValue fits = Clamp(builder_, components, limits_).fits;
    return builder_.Broadcast(fits, sizes_, {});
  }

  const Scatter& scatter_;
  const StablehloBuilder& builder_;
  const Dims sizes_;
  const Dims limits_;
  // Whether the window is all of the array.
  const bool is_all_;
};

}  // namespace

void UpdateOneWindow(const Ir& ir) {
  for (const MlirOperation op : ScattersIn(ir)) {
    const Scatter scatter(ir, op);
    const OneWindow window(scatter);
    if (window.IsOne()) window.Update();
  }
}

}  // namespace iree_pjrt
