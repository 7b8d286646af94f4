// SPDX-License-Identifier: Apache-2.0
// Rows that are taken from computed places, as x[::-1] and nearest neighbours
// of images are. IREE (3.11, 3.13) makes one loop of all dimensions of such a
// result, since no operand keeps them apart, and divides each element's number
// to find out where it belongs. The pass makes an array of the places of rows,
// before: an operand that keeps the dimensions apart.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "mlir/scalar_builder.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// Below it, the dispatch that makes the places takes longer than what it saves.
constexpr int64_t kLeastElements = 16384;

// A generic without inputs, whose loops are the dimensions of its result.
class ComputedRows {
 public:
  ComputedRows(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        body_(ir.Body(op)),
        shape_(ArrayTypeOf(ir, ir.Results(op).at(0))->shape),
        last_(static_cast<int64_t>(shape_.size()) - 1) {}

  void Rewrite() {
    FindPlaces();
    if (places_.empty()) return;
    std::vector<MlirValue> arrays;
    std::vector<LoopList> maps;
    for (const MlirValue place : places_) {
      const std::set<int64_t> loops = *LoopsOf(place);
      maps.emplace_back(loops.begin(), loops.end());
      arrays.push_back(ir_.Barrier(op_, ArrayOf(place, maps.back())));
    }
    const std::vector<MlirValue> numbers = AddInputs(ir_, op_, arrays, maps);
    for (size_t i = 0; i < places_.size(); ++i) {
      const MlirValue place =
          ScalarBuilder(ir_, ir_.api.mlirBlockGetFirstOperation(body_),
                        ir_.ParseType("index"))
              .Apply("arith.index_cast", {numbers[i]});
      ir_.api.mlirValueReplaceAllUsesOfWith(places_[i], place);
    }
  }

 private:
  using Loops = std::optional<std::set<int64_t>>;
  using Copies = std::unordered_map<const void*, MlirValue>;

  // Places of rows; of what is computed along the last dimension, the place of
  // its row.
  void FindPlaces() {
    bool is_last_computed = false;
    MlirValue row{nullptr};
    for (const MlirOperation inner : ir_.OperationsOf(body_)) {
      if (ir_.Name(inner) != "tensor.extract") continue;
      const std::vector<MlirValue> operands = ir_.Operands(inner);
      for (size_t i = 1; i < operands.size(); ++i) {
        const Loops loops = LoopsOf(operands[i]);
        if (!loops || loops->empty()) continue;
        if (LoopOf(ir_, operands[i])) {
          if (loops->contains(last_ - 1)) row = operands[i];
        } else if (loops->contains(last_)) {
          is_last_computed = true;
        } else if (!IsPlace(operands[i])) {
          places_.push_back(operands[i]);
        }
      }
    }
    if (places_.empty() && is_last_computed && row.ptr) places_.push_back(row);
  }

  bool IsPlace(MlirValue value) const {
    return std::ranges::any_of(
        places_, [&](MlirValue place) { return place.ptr == value.ptr; });
  }

  // The loops that a number in the body depends on; nothing if also on others.
  Loops LoopsOf(MlirValue value) {
    const auto [known, is_new] = loops_.try_emplace(value.ptr);
    if (!is_new) return known->second;
    return loops_[value.ptr] = FindLoops(value);
  }

  Loops FindLoops(MlirValue value) {
    const MlirOperation op = ir_.Definition(value);
    if (!op.ptr) return std::nullopt;
    if (ir_.api.mlirOperationGetBlock(op).ptr != body_.ptr) {
      return std::set<int64_t>{};
    }
    if (ir_.api.mlirOperationGetNumRegions(op) > 0) return std::nullopt;
    std::set<int64_t> all;
    if (const auto loop = LoopOf(ir_, value)) all.insert(*loop);
    for (const MlirValue operand : ir_.Operands(op)) {
      if (ir_.IsArray(operand)) continue;
      const Loops loops = LoopsOf(operand);
      if (!loops) return std::nullopt;
      all.insert(loops->begin(), loops->end());
    }
    return all;
  }

  // An array of the numbers, made before the generic.
  MlirValue ArrayOf(MlirValue place, const LoopList& loops) const {
    std::string type = "tensor<";
    for (const int64_t loop : loops) {
      type += std::to_string(shape_.at(static_cast<size_t>(loop))) + "x";
    }
    const MlirType element = ir_.ParseType("i64");
    const MlirType array = ir_.ParseType(type + "i64>");
    const MlirOperation empty =
        ir_.CreateBefore(op_, "tensor.empty", {}, {array}, {});
    const MlirOperation made = MakeGeneric(
        ir_, op_, ir_.Results(empty), {AllLoops(std::ssize(loops))}, {array});
    const MlirBlock body = AddElementBody(ir_, made);
    const MlirOperation end =
        ir_.AppendTo(body, ir_.api.mlirOperationGetLocation(made),
                     "linalg.yield", {ir_.api.mlirBlockGetArgument(body, 0)});
    Copies copies;
    const MlirValue number =
        ScalarBuilder(ir_, end, element)
            .Apply("arith.index_cast", {Copy(place, loops, end, copies)});
    ir_.api.mlirOperationSetOperand(end, 0, number);
    return ir_.Results(made).at(0);
  }

  // The value, computed before `end` of an array's loops.
  MlirValue Copy(MlirValue value, const LoopList& loops, MlirOperation end,
                 Copies& copies) const {
    const MlirOperation op = ir_.Definition(value);
    if (ir_.api.mlirOperationGetBlock(op).ptr != body_.ptr) return value;
    if (const auto made = copies.find(value.ptr); made != copies.end()) {
      return made->second;
    }
    std::vector<MlirValue> operands = ir_.Operands(op);
    for (MlirValue& operand : operands) {
      if (!ir_.IsArray(operand)) operand = Copy(operand, loops, end, copies);
    }
    const MlirOperation copy = ir_.CloneBefore(end, op);
    for (size_t i = 0; i < operands.size(); ++i) {
      ir_.api.mlirOperationSetOperand(copy, static_cast<intptr_t>(i),
                                      operands[i]);
    }
    if (const auto loop = LoopOf(ir_, value)) {
      const auto place = std::ranges::find(loops, *loop) - loops.begin();
      ir_.SetAttribute(copy, "dim",
                       ir_.Parse(std::to_string(place) + " : i64"));
    }
    return copies[value.ptr] = ir_.Results(copy).at(0);
  }

  const Ir& ir_;
  const MlirOperation op_;
  const MlirBlock body_;
  const std::vector<int64_t> shape_;
  const int64_t last_;
  std::vector<MlirValue> places_;
  std::unordered_map<const void*, Loops> loops_;
};

// A large array, computed element by element.
bool IsLarge(const Ir& ir, MlirOperation op) {
  if (!IsElementwise(ir, op)) return false;
  const auto type = ArrayTypeOf(ir, ir.Operands(op).back());
  return type && type->shape.size() > 1 && type->shape.back() > 1 &&
         ElementCount(type->shape) >= kLeastElements &&
         IndexingMaps(ir, op).back() == AllLoops(std::ssize(type->shape));
}

bool Takes(const Ir& ir, MlirOperation op) {
  return std::ranges::any_of(
      ir.OperationsOf(ir.Body(op)),
      [&](MlirOperation inner) { return ir.Name(inner) == "tensor.extract"; });
}

std::vector<MlirValue> InputsOf(const Ir& ir, MlirOperation op) {
  std::vector<MlirValue> inputs = ir.Operands(op);
  inputs.pop_back();
  return inputs;
}

// Whether the array is computed of nothing but the places of its elements.
bool IsCounted(const Ir& ir, MlirValue array, std::set<const void*>& seen) {
  const MlirOperation op = ir.DefinitionBeforeReshapes(array);
  if (!IsElementwise(ir, op) || Takes(ir, op)) return false;
  if (!seen.insert(op.ptr).second) return true;
  return std::ranges::all_of(InputsOf(ir, op), [&](MlirValue input) {
    return !ir.IsArray(input) || IsCounted(ir, input, seen);
  });
}

// IREE would compute what is counted in the loops themselves.
void GuardCountedInputs(const Ir& ir, MlirOperation op) {
  const std::vector<MlirValue> inputs = InputsOf(ir, op);
  std::set<const void*> seen;
  if (std::ranges::all_of(inputs, [&](MlirValue input) {
        return IsCounted(ir, input, seen);
      })) {
    for (const MlirValue input : inputs) {
      ir.PutBehindBarrier(ir.BeforeReshapes(input));
    }
  }
}

}  // namespace

void IndexByRows(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!IsLarge(ir, op) || !Takes(ir, op)) continue;
    if (ir.Operands(op).size() == 1) {
      ComputedRows(ir, op).Rewrite();
    } else {
      GuardCountedInputs(ir, op);
    }
  }
}

}  // namespace iree_pjrt
