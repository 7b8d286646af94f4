// SPDX-License-Identifier: Apache-2.0
// StableHLO skips an update whose window does not fit into the array. The code
// of IREE 3.11 does not check bounds, and writes outside of the array. That of
// DispatchScatters checks those of each element: here the index of a window
// that does not fit is moved so far that no element does. Where it does not
// run, the pass moves the window to the nearest place where it fits, and
//
//   - an update that is added becomes zero;
//   - any other goes into extra rows of the array, which are cut off again.
#include <limits>

#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/scatter.h"

namespace iree_pjrt {
namespace {

class Bounded {
 public:
  Bounded(Scatter& scatter, const Dims& limits, bool is_checked)
      : scatter_(scatter),
        builder_(scatter.builder),
        shape_(builder_.ShapeOf(scatter.arrays.at(0))),
        sizes_(scatter.WindowSizes()),
        batch_(scatter.BatchShape()),
        is_checked_(is_checked),
        clamped_(Clamp(builder_, Components(std::ssize(limits)), limits)) {}

  void Write() {
    if (is_checked_) {
      WriteNowhere();
    } else if (scatter_.arrays.size() == 1 && IsAddition()) {
      const MlirValue update = scatter_.updates[0];
      const bool floats = HasFloats(builder_.ElementOf(update));
      const MlirValue zero = builder_.Splat(
          scatter_.ir.api.mlirValueGetType(update), floats ? "-0.0" : "0");
      scatter_.updates[0] = Fitting(update, zero);
      WriteAt(clamped_.nearest);
    } else {
      WriteBeside();
    }
  }

 private:
  std::vector<MlirValue> Components(int64_t count) const {
    const MlirValue plain = scatter_.PlainIndices();
    std::vector<MlirValue> components;
    for (int64_t k = 0; k < count; ++k) {
      components.push_back(ComponentOf(builder_, plain, std::ssize(batch_), k));
    }
    return components;
  }

  // Whether the scatter adds real numbers to what the array has there.
  bool IsAddition() const {
    const Ir& ir = scatter_.ir;
    if (builder_.ElementOf(scatter_.arrays[0]).starts_with("complex")) {
      return false;
    }
    const MlirOperation add =
        ir.api.mlirBlockGetFirstOperation(ir.Body(scatter_.op));
    if (StablehloName(ir.Name(add)) != "add") return false;
    const MlirOperation end = ir.api.mlirOperationGetNextInBlock(add);
    return StablehloName(ir.Name(end)) == "return" &&
           ir.api.mlirOperationGetOperand(end, 0).ptr ==
               ir.api.mlirOperationGetResult(add, 0).ptr &&
           ir.api.mlirOperationGetOperand(add, 0).ptr !=
               ir.api.mlirOperationGetOperand(add, 1).ptr;
  }

  MlirValue Fitting(MlirValue update, MlirValue otherwise) const {
    const MlirValue mask = builder_.Broadcast(
        clamped_.fits, builder_.ShapeOf(update), scatter_.BatchDimensions());
    return builder_.Select(mask, update, otherwise);
  }

  // What is out of bounds stays so, whatever is added to the index.
  void WriteNowhere() {
    constexpr int64_t kNowhere = std::numeric_limits<int32_t>::min();
    std::vector<MlirValue> starts = clamped_.nearest;
    const MlirValue nowhere =
        builder_.Splat(batch_, builder_.ElementOf(starts[0]), kNowhere);
    starts[0] = builder_.Select(clamped_.fits, starts[0], nowhere);
    WriteAt(starts);
  }

  // Makes room past the end of the first indexed dimension.
  void WriteBeside() {
    const auto d = static_cast<size_t>(scatter_.numbers.indexed.at(0));
    Dims end = shape_;
    end[d] = sizes_[d];
    const Dims begin(shape_.size(), 0);
    for (MlirValue& array : scatter_.arrays) {
      // The extra rows are elements of the array, so that no constant is
      // needed: IREE crashes on complex ones.
      array = builder_.Concatenate({array, builder_.Slice(array, begin, end)},
                                   static_cast<int64_t>(d));
    }
    std::vector<MlirValue> starts = clamped_.nearest;
    const MlirValue outside =
        builder_.Splat(batch_, builder_.ElementOf(starts[0]), shape_[d]);
    starts[0] = builder_.Select(clamped_.fits, starts[0], outside);
    WriteAt(starts, [&](const StablehloBuilder& after, MlirValue result) {
      return after.Slice(result, begin, shape_);
    });
  }

  void WriteAt(const std::vector<MlirValue>& components,
               const Scatter::Back& back = nullptr) {
    Dims one = batch_;
    one.push_back(1);
    std::vector<MlirValue> columns;
    for (const MlirValue component : components) {
      columns.push_back(builder_.Reshape(component, one));
    }
    scatter_.SetPlainIndices(
        builder_.Concatenate(columns, static_cast<int64_t>(batch_.size())));
    scatter_.Write(back);
  }

  Scatter& scatter_;
  const StablehloBuilder& builder_;
  const Dims shape_;
  const Dims sizes_;
  const Dims batch_;
  const bool is_checked_;
  const ClampedIndices clamped_;
};

bool IsOfWindows(const Scatter& scatter) {
  const Dims sizes = scatter.WindowSizes();
  return std::ranges::any_of(scatter.numbers.indexed,
                             [&](int64_t d) { return sizes.at(d) != 1; });
}

void KeepInBounds(Scatter scatter, bool is_checked) {
  const Dims limits = scatter.Limits();
  if (limits.empty() || HasNoElements(scatter.BatchShape())) return;
  if (*std::min_element(limits.begin(), limits.end()) < 0) {
    // An empty dimension: nothing fits.
    scatter.ir.Replace(scatter.op, scatter.arrays);
  } else if (is_checked && !IsOfWindows(scatter)) {
    scatter.SetPlainIndices(scatter.PlainIndices());
    scatter.Write();
  } else if (!SurelyFit(scatter.ir, scatter.indices, scatter.numbers.vector,
                        limits)) {
    Bounded(scatter, limits, is_checked).Write();
  }
}

}  // namespace

void KeepScattersInBounds(const Ir& ir, bool is_checked) {
  for (const MlirOperation op : ScattersIn(ir)) {
    KeepInBounds(Scatter(ir, op), is_checked);
  }
}

}  // namespace iree_pjrt
