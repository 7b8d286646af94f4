// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/unroll_sums.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "mlir/slices.h"
#include "rewrite/loops/buffers.h"
#include "rewrite/loops/loop_order.h"

namespace iree_pjrt {
namespace {

constexpr int64_t kMostTerms = 8;
// With more operations for a term, memory is not what takes the time.
constexpr size_t kLargestBody = 8;

class Reduction {
 public:
  Reduction(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        operands_(ir.Operands(op)),
        inputs_(operands_.size() - ir.Results(op).size()),
        body_(ir.OperationsOf(ir.Body(op))) {}

  // How many terms a turn may take; 1 where it is to stay.
  int64_t Terms() {
    const auto inner = LoopAlongMemory(ir_, op_);
    if (!inner || body_.size() > kLargestBody) return 1;
    maps_ = IndexingMaps(ir_, op_);
    if (!std::ranges::count(maps_.back(), *inner)) return 1;
    loop_ = LastReduced();
    const int64_t length = Length();
    int64_t terms = std::min(kMostTerms, length);
    while (terms > 1 && length % terms != 0) --terms;
    return terms;
  }

  void Unroll(int64_t terms) {
    const MlirOperation unrolled = Widened(terms);
    MlirBlock body = AddElementBody(ir_, unrolled);
    // What was reduced so far: at first what is behind all inputs.
    const auto arguments = ir_.api.mlirBlockGetNumArguments(body);
    std::vector<MlirValue> reduced;
    for (size_t i = operands_.size() - inputs_; i > 0; --i) {
      reduced.push_back(ir_.api.mlirBlockGetArgument(
          body, arguments - static_cast<intptr_t>(i)));
    }
    for (int64_t term = 0; term < terms; ++term) {
      reduced = AppendTerm(body, term, reduced);
    }
    ir_.AppendTo(body, ir_.api.mlirOperationGetLocation(op_), "linalg.yield",
                 reduced);
    // Outside, so that each input along it is read once.
    PutLoopOutside(ir_, unrolled, loop_);
    ir_.Replace(op_, ir_.Results(unrolled));
  }

 private:
  bool Moves(size_t input) const {
    return std::ranges::count(maps_[input], loop_) > 0;
  }

  // The dimension of an input that the loop goes along.
  size_t PlaceIn(size_t input) const {
    const LoopList& map = maps_[input];
    return static_cast<size_t>(std::ranges::find(map, loop_) - map.begin());
  }

  int64_t LastReduced() const {
    int64_t loop = LoopCount(ir_, op_) - 1;
    while (std::ranges::count(maps_.back(), loop)) --loop;
    return loop;
  }

  // Of the reduced loop; 0 where an input takes it twice.
  int64_t Length() const {
    int64_t length = 0;
    for (size_t i = 0; i < inputs_; ++i) {
      const auto times = std::ranges::count(maps_[i], loop_);
      if (times > 1) return 0;
      if (times == 0) continue;
      length = ArrayTypeOf(ir_, operands_[i])->shape.at(PlaceIn(i));
    }
    return length;
  }

  // Every so-many-th part of an input along the loop, from this term on.
  MlirValue Part(size_t input, int64_t term, int64_t terms) const {
    const MlirValue array = operands_[input];
    const auto type = *ArrayTypeOf(ir_, array);
    Slice part{Extents(type.shape.size(), 0), type.shape,
               Extents(type.shape.size(), 1)};
    const size_t d = PlaceIn(input);
    part.offsets[d] = term;
    part.sizes[d] /= terms;
    part.steps[d] = terms;
    return MakeSlice(ir_, op_, array, part,
                     ir_.ParseType(type.Reshaped(part.sizes)));
  }

  // The generic, with an operand for each term of an input; without a body.
  MlirOperation Widened(int64_t terms) {
    std::vector<MlirValue> operands;
    std::vector<LoopList> maps;
    for (size_t i = 0; i < inputs_; ++i) {
      first_.push_back(static_cast<intptr_t>(operands.size()));
      for (int64_t term = 0; term < (Moves(i) ? terms : 1); ++term) {
        operands.push_back(Moves(i) ? Part(i, term, terms) : operands_[i]);
        maps.push_back(maps_[i]);
      }
    }
    const std::string counts = std::to_string(operands.size()) + ", " +
                               std::to_string(operands_.size() - inputs_);
    for (size_t i = inputs_; i < operands_.size(); ++i) {
      operands.push_back(operands_[i]);
      maps.push_back(maps_[i]);
    }
    return ir_.CreateBefore(
        op_, "linalg.generic", operands, ir_.ResultTypes(op_),
        {ir_.Named("operandSegmentSizes",
                   ir_.Parse("array<i32: " + counts + ">")),
         ir_.Named("indexing_maps", MapsOf(ir_, LoopCount(ir_, op_), maps)),
         ir_.Named("iterator_types", ir_.Attribute(op_, "iterator_types"))},
        1);
  }

  // The body for one term; what is reduced with it.
  std::vector<MlirValue> AppendTerm(
      MlirBlock to, int64_t term, const std::vector<MlirValue>& reduced) const {
    std::vector<std::pair<MlirValue, MlirValue>> names;
    const MlirBlock from = ir_.Body(op_);
    for (size_t i = 0; i < operands_.size(); ++i) {
      const MlirValue now = i < inputs_
                                ? ir_.api.mlirBlockGetArgument(
                                      to, first_[i] + (Moves(i) ? term : 0))
                                : reduced[i - inputs_];
      names.emplace_back(
          ir_.api.mlirBlockGetArgument(from, static_cast<intptr_t>(i)), now);
    }
    const auto renamed = [&](MlirValue value) {
      const auto name = std::ranges::find_if(
          names, [&](const auto& pair) { return pair.first.ptr == value.ptr; });
      return name == names.end() ? value : name->second;
    };
    for (const MlirOperation op : body_) {
      if (ir_.Name(op) == "linalg.yield") break;
      const MlirOperation copy = ir_.api.mlirOperationClone(op);
      ir_.api.mlirBlockAppendOwnedOperation(to, copy);
      const std::vector<MlirValue> operands = ir_.Operands(op);
      for (size_t i = 0; i < operands.size(); ++i) {
        ir_.api.mlirOperationSetOperand(copy, static_cast<intptr_t>(i),
                                        renamed(operands[i]));
      }
      const std::vector<MlirValue> results = ir_.Results(op);
      const std::vector<MlirValue> copies = ir_.Results(copy);
      for (size_t i = 0; i < results.size(); ++i) {
        names.emplace_back(results[i], copies[i]);
      }
    }
    std::vector<MlirValue> yielded = ir_.Operands(body_.back());
    for (MlirValue& value : yielded) value = renamed(value);
    return yielded;
  }

  const Ir& ir_;
  const MlirOperation op_;
  const std::vector<MlirValue> operands_;
  const size_t inputs_;
  const std::vector<MlirOperation> body_;
  std::vector<LoopList> maps_;
  int64_t loop_ = 0;
  std::vector<intptr_t> first_;  // of the unrolled operands of each input
};

}  // namespace

void UnrollSums(const Ir& ir, MlirOperation function) {
  for (const MlirOperation op :
       Ir{ir.api, ir.context, function}.AllOperations()) {
    if (!IsReduction(ir, op)) continue;
    Reduction reduction(ir, op);
    if (const int64_t terms = reduction.Terms(); terms > 1) {
      reduction.Unroll(terms);
    }
  }
}

}  // namespace iree_pjrt
