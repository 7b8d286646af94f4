// SPDX-License-Identifier: Apache-2.0
// Sorts by comparators of which nothing is known, in n log(n)^2 comparisons
// where IREE 3.13 makes n^2: a bitonic network, as a loop of log(n)^2 steps. A
// step shuffles each line as two halves of a deck of cards; then neighbours are
// those whose places differed in the first bit, and after log(n) steps all is
// where it was (Stone, 1971). IREE sorts the pairs of neighbours, up, down or
// not at all, by the comparator and, where that sees no order, by the places
// they came from: the sort is stable. Lines are filled up to a power of two
// with copies of their first elements, which come after all others.
#include <bit>

#include "base/status.h"
#include "mlir/attributes.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/comparator.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

constexpr int64_t kMostPlaces = int64_t{1} << 30;  // places are of i32

class StepSort {
 public:
  StepSort(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        builder_(ir, op),
        shape_(builder_.ShapeOf(ir.api.mlirOperationGetOperand(op, 0))),
        dimension_(static_cast<size_t>(
            ReadInteger(ir, BuiltinAttribute(ir, op, "dimension")))),
        size_(shape_.at(dimension_)),
        padded_(
            static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(size_)))),
        bits_(std::countr_zero(static_cast<uint64_t>(padded_))) {
    for (size_t i = 0; i < shape_.size(); ++i) {
      if (i != dimension_) rows_ *= shape_[i];
    }
  }

  // Of a line.
  int64_t size() const { return size_; }

  void Rewrite() const {
    if (size_ > kMostPlaces) {
      ThrowUnimplemented("a sort of " + std::to_string(size_) +
                         " elements by a comparator that is no order of keys");
    }
    std::vector<MlirValue> state = {builder_.Splat({}, "i32", 0)};
    for (const MlirValue operand : ir_.Operands(op_)) {
      state.push_back(Lines(operand));
    }
    state.push_back(builder_.Iota({rows_, padded_}, "i32", 1));
    std::vector<MlirType> types;
    for (const MlirValue value : state) {
      types.push_back(ir_.api.mlirValueGetType(value));
    }
    const MlirOperation loop = ir_.CreateBefore(
        op_, StablehloNameLike(ir_.Name(op_), "while"), state, types, {}, 2);
    FillCondition(Block(loop, 0, types));
    FillBody(Block(loop, 1, types));
    std::vector<MlirValue> results = ir_.Results(loop);
    results.pop_back();
    results.erase(results.begin());
    for (MlirValue& result : results) result = Whole(result);
    ir_.Replace(op_, results);
  }

 private:
  Dims Moved() const {
    Dims order;
    for (size_t i = 0; i < shape_.size(); ++i) {
      if (i != dimension_) order.push_back(static_cast<int64_t>(i));
    }
    order.push_back(static_cast<int64_t>(dimension_));
    return order;
  }

  // The operand as rows, filled up.
  MlirValue Lines(MlirValue operand) const {
    const MlirValue rows =
        builder_.Reshape(builder_.Transpose(operand, Moved()), {rows_, size_});
    if (padded_ == size_) return rows;
    const MlirValue copies =
        builder_.Slice(rows, {0, 0}, {rows_, padded_ - size_});
    return builder_.Concatenate({rows, copies}, 1);
  }

  // What the lines are as a result.
  MlirValue Whole(MlirValue lines) const {
    const Dims order = Moved();
    Dims moved;
    Dims back(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      moved.push_back(shape_[static_cast<size_t>(order[i])]);
      back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    }
    const MlirValue rows = builder_.Slice(lines, {0, 0}, {rows_, size_});
    return builder_.Transpose(builder_.Reshape(rows, moved), back);
  }

  MlirBlock Block(MlirOperation op, intptr_t region,
                  const std::vector<MlirType>& types) const {
    const std::vector<MlirLocation> locations(
        types.size(), ir_.api.mlirOperationGetLocation(op));
    const MlirBlock block = ir_.api.mlirBlockCreate(
        static_cast<intptr_t>(types.size()), types.data(), locations.data());
    ir_.api.mlirRegionAppendOwnedBlock(
        ir_.api.mlirOperationGetRegion(op, region), block);
    return block;
  }

  // An operation to make others before, until the block has its return.
  MlirOperation Mark(MlirBlock block) const {
    const MlirOperation mark =
        ir_.CreateBefore(op_, "builtin.unrealized_conversion_cast", {}, {}, {});
    ir_.api.mlirOperationRemoveFromParent(mark);
    ir_.api.mlirBlockAppendOwnedOperation(block, mark);
    return mark;
  }

  void Return(MlirOperation mark, const std::vector<MlirValue>& values) const {
    ir_.CreateBefore(mark, StablehloNameLike(ir_.Name(op_), "return"), values,
                     {}, {});
    ir_.api.mlirOperationDestroy(mark);
  }

  void FillCondition(MlirBlock block) const {
    const MlirOperation mark = Mark(block);
    const StablehloBuilder builder(ir_, mark, op_);
    Return(mark, {builder.Compare("LT", ir_.api.mlirBlockGetArgument(block, 0),
                                  builder.Splat({}, "i32", bits_ * bits_))});
  }

  void FillBody(MlirBlock block) const {
    const MlirOperation mark = Mark(block);
    const StablehloBuilder builder(ir_, mark, op_);
    const intptr_t count = ir_.api.mlirBlockGetNumArguments(block);
    const MlirValue step = ir_.api.mlirBlockGetArgument(block, 0);
    std::vector<MlirValue> pairs;
    for (intptr_t i = 1; i < count; ++i) {
      const MlirValue halves = builder.Reshape(
          ir_.api.mlirBlockGetArgument(block, i), {rows_, 2, padded_ / 2});
      pairs.push_back(builder.Transpose(halves, {0, 2, 1}));
    }
    pairs.push_back(Codes(builder, step));
    const MlirOperation sorted = SortPairs(mark, pairs);
    std::vector<MlirValue> next = {
        builder.Apply("add", {step, builder.Splat({}, "i32", 1)})};
    for (intptr_t i = 0; i + 1 < count; ++i) {
      next.push_back(builder.Reshape(ir_.api.mlirOperationGetResult(sorted, i),
                                     {rows_, padded_}));
    }
    Return(mark, next);
  }

  // For each element what is done with its pair, which is 0 if that stays as it
  // is, 2 if it ascends, 4 if it descends; plus 1 for the second of the pair.
  MlirValue Codes(const StablehloBuilder& builder, MlirValue step) const {
    const auto number = [&](int64_t n) { return builder.Splat({}, "i32", n); };
    const Dims shape = {padded_ / 2, 2};
    const auto all = [&](MlirValue scalar) {
      return builder.Broadcast(scalar, shape, {});
    };
    const auto apply = [&](const char* name, MlirValue a, MlirValue b) {
      return builder.Apply(name, {a, b});
    };
    const MlirValue stage = apply("divide", step, number(bits_));
    const MlirValue turns =
        apply("add", apply("remainder", step, number(bits_)), number(1));
    // The bit in which the places of a pair differed at the stage's start.
    const MlirValue bit = apply("subtract", number(bits_), turns);
    const MlirValue place =
        builder.Reshape(builder.Iota({padded_}, "i32", 0), shape);
    // Where an element was then: its place turned back.
    const MlirValue was =
        apply("or", apply("shift_right_logical", place, all(turns)),
              apply("and", apply("shift_left", place, all(bit)),
                    builder.Splat(shape, "i32", padded_ - 1)));
    const MlirValue up = apply("add", stage, number(1));
    const MlirValue descends =
        apply("and", apply("shift_right_logical", was, all(up)),
              builder.Splat(shape, "i32", 1));
    const MlirValue sorts = apply("add", apply("add", descends, descends),
                                  builder.Splat(shape, "i32", 2));
    const MlirValue code =
        builder.Select(all(builder.Compare("LE", bit, stage)), sorts,
                       builder.Splat(shape, "i32", 0));
    const MlirValue second =
        apply("and", place, builder.Splat(shape, "i32", 1));
    return builder.Broadcast(apply("add", code, second),
                             {rows_, padded_ / 2, 2}, {1, 2});
  }

  MlirOperation SortPairs(MlirOperation mark,
                          const std::vector<MlirValue>& pairs) const {
    std::vector<MlirType> types;
    for (const MlirValue pair : pairs) {
      types.push_back(ir_.api.mlirValueGetType(pair));
    }
    std::vector<MlirNamedAttribute> attributes = {
        ir_.Named("dimension", IntegerLike(ir_, op_, 2))};
    const MlirAttribute stable = ir_.Attribute(op_, "is_stable");
    if (stable.ptr) attributes.push_back(ir_.Named("is_stable", stable));
    const MlirOperation sort =
        ir_.CreateBefore(mark, ir_.Name(op_), pairs, types, attributes, 1);
    const MlirOperation mirrored = ir_.api.mlirOperationClone(op_);
    ir_.api.mlirRegionTakeBody(ir_.api.mlirOperationGetFirstRegion(sort),
                               ir_.api.mlirOperationGetFirstRegion(op_));
    Extend(ir_.Body(sort), MoveIn(mirrored, ir_.Body(sort)));
    return sort;
  }

  // Moves what the comparator computes to the end of the other's body, of the
  // second elements in the place of the first; what it returned.
  MlirValue MoveIn(MlirOperation mirrored, MlirBlock body) const {
    const MlirBlock from = ir_.Body(mirrored);
    for (intptr_t i = 0; i < ir_.api.mlirBlockGetNumArguments(from); ++i) {
      ir_.api.mlirValueReplaceAllUsesOfWith(
          ir_.api.mlirBlockGetArgument(from, i),
          ir_.api.mlirBlockGetArgument(body, i ^ 1));
    }
    const MlirOperation last = ir_.Terminator(from);
    const MlirValue result = ir_.api.mlirOperationGetOperand(last, 0);
    const MlirOperation end = ir_.Terminator(body);
    while (true) {
      const MlirOperation op = ir_.api.mlirBlockGetFirstOperation(from);
      if (op.ptr == last.ptr) break;
      ir_.api.mlirOperationMoveBefore(op, end);
    }
    ir_.api.mlirOperationDestroy(mirrored);
    return result;
  }

  // Adds the places and the codes to what is compared.
  void Extend(MlirBlock body, MlirValue after) const {
    const MlirOperation end = ir_.Terminator(body);
    const StablehloBuilder builder(ir_, end, op_);
    const auto argument = [&] {
      return ir_.api.mlirBlockAddArgument(
          body, builder.Type({}, "i32"), ir_.api.mlirOperationGetLocation(op_));
    };
    const MlirValue a = argument();
    const MlirValue b = argument();
    const MlirValue code = argument();
    const MlirValue other_code = argument();
    const auto less = [&](MlirValue x, int64_t n) {
      return builder.Compare("LT", x, builder.Splat({}, "i32", n));
    };
    const auto invert = [&](MlirValue x) { return builder.Apply("not", {x}); };
    const MlirValue before = ir_.api.mlirOperationGetOperand(end, 0);
    const MlirValue first =
        builder.Select(builder.Apply("xor", {before, after}), before,
                       builder.Compare("LT", a, b));
    // Of the elements that lines were filled up with, none comes first.
    const auto ahead = [&](MlirValue x, MlirValue y, MlirValue decides) {
      return builder.Apply(
          "and", {less(x, size_),
                  builder.Apply("or", {invert(less(y, size_)), decides})});
    };
    const MlirValue sorts = builder.Select(less(code, 4), ahead(a, b, first),
                                           ahead(b, a, invert(first)));
    ir_.api.mlirOperationSetOperand(
        end, 0,
        builder.Select(less(code, 2), builder.Compare("LT", code, other_code),
                       sorts));
  }

  const Ir& ir_;
  const MlirOperation op_;
  const StablehloBuilder builder_;
  const Dims shape_;
  const size_t dimension_;
  const int64_t size_;
  const int64_t padded_;
  const int64_t bits_;
  int64_t rows_ = 1;
};

}  // namespace

void SortInSteps(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "sort") continue;
    const StepSort sort(ir, op);
    if (sort.size() > kShortLine) sort.Rewrite();
  }
}

}  // namespace iree_pjrt
