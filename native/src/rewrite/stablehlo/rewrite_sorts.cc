// SPDX-License-Identifier: Apache-2.0
// Sorts. IREE 3.13 sorts by swapping neighbours, in quadratic time. The pass
// makes a call of a handler on the host (ffi/sort.h) of each sort whose
// comparator is a lexicographic order: every one that frameworks send. What is
// compared may be any function of the elements: it is computed of whole arrays
// before the call. Other comparators: sort_in_steps.cc.
//
// A few short lines stay with IREE, where they need no call. Where only a part
// of the sorted array is used (`top_k`), the call returns
// that part.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "ffi/sort.h"
#include "mlir/attributes.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/comparator.h"
#include "rewrite/stablehlo/elementwise.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Of a sort whose call would cost more than it saves.
constexpr int64_t kFewElements = 256;

constexpr std::array<std::string_view, 4> kNumericOrder = {"bf16", "f16", "f32",
                                                           "f64"};

template <typename List>
bool Holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// The places along the dimension that are used.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
};

class SortRewriter {
 public:
  SortRewriter(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        builder_(ir, op),
        comparator_(ir, ir.Body(op)),
        operands_(ir.Operands(op)),
        shape_(builder_.ShapeOf(operands_.at(0))),
        dimension_(static_cast<size_t>(
            ReadInteger(ir, BuiltinAttribute(ir, op, "dimension")))) {}

  void Rewrite() {
    if (IsSorted()) return ir_.Replace(op_, operands_);
    if (IsForIree()) return;
    std::vector<size_t> live;
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (ir_.Uses(Result(i)).empty()) continue;
      live.push_back(i);
      arguments_.push_back(operands_[i]);
    }
    // What nobody uses goes with the rest of the dead code.
    if (!live.empty() && TakeKeys()) Call(live);
  }

 private:
  bool IsSorted() const {
    return shape_.at(dimension_) <= 1 || HasNoElements(shape_);
  }

  // Of two operands IREE makes its own `topk`, which knows no NaN and no ties.
  // It takes the NaN of some floats of 8 bits for -0.
  bool IsForIree() const {
    return operands_.size() != 2 && shape_.at(dimension_) <= kShortLine &&
           ElementCount(shape_) <= kFewElements &&
           std::none_of(operands_.begin(), operands_.end(), [&](MlirValue x) {
             return builder_.ElementOf(x).ends_with("FNUZ");
           });
  }

  MlirValue Result(size_t i) const {
    return ir_.api.mlirOperationGetResult(op_, static_cast<intptr_t>(i));
  }

  // Adds the keys to the arguments; false if the handler has no such order.
  bool TakeKeys() {
    const std::vector<ComparedKey> keys = comparator_.Keys();
    for (const ComparedKey& key : keys) {
      const std::string element = builder_.ElementOf(key.value);
      const bool is_float = HasFloats(element);
      KeyOrder order = KeyOrder::kInteger;
      MlirValue value = key.value;
      if (is_float) {
        const bool numeric = Holds(kNumericOrder, element);
        const bool total = key.type == "TOTALORDER";
        const MlirValue unified = comparator_.UnifiedOf(value);
        const bool unifies = total && numeric && unified.ptr;
        if (unifies) value = unified;
        if (!total && !numeric) return false;
        order = total && !unifies ? KeyOrder::kTotal : KeyOrder::kNumeric;
      }
      const auto array = ArrayOf(value);
      if (!array) return false;
      keys_ += (keys_.empty() ? "[" : ", [") +
               std::to_string(ArgumentOf(*array)) + ", " +
               std::to_string(static_cast<int>(order)) + ", " +
               std::to_string(key.descending ? 1 : 0) + "]";
      ++key_count_;
    }
    return key_count_ > 0;
  }

  size_t ArgumentOf(MlirValue array) {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i].ptr == array.ptr) return i;
    }
    arguments_.push_back(array);
    return arguments_.size() - 1;
  }

  // What the comparator computes of one element, of all elements; empty if it
  // cannot be written so.
  std::optional<MlirValue> ArrayOf(MlirValue value) {
    if (const auto i = comparator_.OperandOf(value)) return operands_.at(*i);
    if (const auto known = arrays_.find(value.ptr); known != arrays_.end()) {
      return known->second;
    }
    const auto array =
        comparator_.IsConstant(value) ? Spread(value) : Elementwise(value);
    if (array) arrays_.emplace(value.ptr, *array);
    return array;
  }

  // A scalar from outside of the comparator, or a constant in it.
  std::optional<MlirValue> Spread(MlirValue value) const {
    if (ir_.HomeOf(value).ptr == ir_.Body(op_).ptr) {
      const MlirOperation op = ir_.Definition(value);
      if (ir_.api.mlirOperationGetNumOperands(op) > 0) return std::nullopt;
      value = ir_.api.mlirOperationGetResult(ir_.CloneBefore(op_, op), 0);
    }
    return builder_.Broadcast(value, shape_, {});
  }

  std::optional<MlirValue> Elementwise(MlirValue value) {
    const MlirOperation op = ir_.Definition(value);
    if (!IsElementwise(StablehloName(ir_.Name(op)))) return std::nullopt;
    std::vector<MlirValue> arrays;
    for (const MlirValue operand : ir_.Operands(op)) {
      const auto array = ArrayOf(operand);
      if (!array) return std::nullopt;
      arrays.push_back(*array);
    }
    const MlirOperation of_arrays = ir_.CloneBefore(op_, op);
    for (size_t i = 0; i < arrays.size(); ++i) {
      ir_.api.mlirOperationSetOperand(of_arrays, static_cast<intptr_t>(i),
                                      arrays[i]);
    }
    const MlirValue result = ir_.api.mlirOperationGetResult(of_arrays, 0);
    ir_.api.mlirValueSetType(
        result, ir_.ParseType(builder_.TypeOf(value).Reshaped(shape_)));
    return result;
  }

  static bool IsSlice(const Ir& ir, MlirOperation op) {
    if (StablehloName(ir.Name(op)) != "slice") return false;
    const auto strides = ReadIntegers(ir, BuiltinAttribute(ir, op, "strides"));
    return std::all_of(strides.begin(), strides.end(),
                       [](int64_t stride) { return stride == 1; });
  }

  Dims Bounds(MlirOperation slice, std::string_view name) const {
    return ReadIntegers(ir_, BuiltinAttribute(ir_, slice, name));
  }

  Range UsedRange(const std::vector<size_t>& live) const {
    const int64_t size = shape_.at(dimension_);
    Range used{size, 0};
    for (const size_t i : live) {
      for (const Use& use : ir_.Uses(Result(i))) {
        if (!IsSlice(ir_, use.user)) return {0, size};
        used.begin = std::min(used.begin,
                              Bounds(use.user, "start_indices").at(dimension_));
        used.end = std::max(used.end,
                            Bounds(use.user, "limit_indices").at(dimension_));
      }
    }
    return used.begin < used.end ? used : Range{0, size};
  }

  // What used a part of the whole uses it of the range.
  void Shift(size_t result, int64_t begin) const {
    if (begin == 0) return;
    for (const Use& use : ir_.Uses(Result(result))) {
      for (const char* name : {"start_indices", "limit_indices"}) {
        Dims bounds = Bounds(use.user, name);
        bounds.at(dimension_) -= begin;
        ir_.SetAttribute(use.user, name, IntegersLike(ir_, use.user, bounds));
      }
    }
  }

  void Call(const std::vector<size_t>& live) {
    const Range used = UsedRange(live);
    Dims shape = shape_;
    shape.at(dimension_) = used.end - used.begin;
    std::vector<MlirType> types;
    for (const size_t i : live) {
      Shift(i, used.begin);
      types.push_back(
          ir_.ParseType(builder_.TypeOf(operands_[i]).Reshaped(shape)));
    }
    const std::string config =
        "{begin = " + std::to_string(used.begin) +
        " : i32, dimension = " + std::to_string(dimension_) +
        " : i32, keys = dense<[" + keys_ + "]> : tensor<" +
        std::to_string(key_count_) + "x3xi32>}";
    const MlirOperation call =
        builder_.ForeignCall(kSortTarget, arguments_, types, config);
    std::vector<MlirValue> values = operands_;
    for (size_t i = 0; i < live.size(); ++i) {
      values[live[i]] =
          ir_.api.mlirOperationGetResult(call, static_cast<intptr_t>(i));
    }
    ir_.Replace(op_, values);
  }

  const Ir& ir_;
  const MlirOperation op_;
  const StablehloBuilder builder_;
  Comparator comparator_;
  const std::vector<MlirValue> operands_;
  const Dims shape_;
  const size_t dimension_;
  std::vector<MlirValue> arguments_;
  std::map<const void*, MlirValue> arrays_;
  std::string keys_;
  size_t key_count_ = 0;
};

}  // namespace

void RewriteSorts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) == "sort") SortRewriter(ir, op).Rewrite();
  }
}

}  // namespace iree_pjrt
