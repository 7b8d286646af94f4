// SPDX-License-Identifier: Apache-2.0
// Cumulative reductions (reduce_window of a window as wide as the array). IREE
// 3.11 and 3.13 make a scan of them, which takes one element after another: in
// float32 the sums of a million numbers are off by a hundredth, and a core
// waits for each element before the next. The pass scans blocks side by side,
// then what the blocks come to, and combines the two, so that an element is
// made in as many steps as the logarithm of the length. StableHLO leaves that
// order to the implementation, and the initial value changes nothing however
// often it is taken (`reduce_window`).
#include <optional>
#include <span>

#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "mlir/window.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// What is as short is scanned as it is: more blocks would cost more than they
// gain, and the error stays within a few times that of blocks.
constexpr int64_t kLongest = 128;
constexpr int64_t kBlock = 32;
constexpr int64_t kShortestBlock = 24;
constexpr int64_t kLongestBlock = 48;
// As many neighbours that are scanned side by side fill a vector.
constexpr int64_t kVector = 16;

// Elements from which an array is transposed and then reversed, in a dispatch
// each. IREE reverses by an index for each element, and in one dispatch reads
// each across memory: a million numbers in ten times the time.
constexpr int64_t kReversedApart = 4096;

// The elements of a block: about kBlock, a divisor of the length if one is
// near.
int64_t BlockOf(int64_t length) {
  for (int64_t i = 0; i <= kLongestBlock - kBlock; ++i) {
    if (length % (kBlock + i) == 0) return kBlock + i;
    if (kBlock - i >= kShortestBlock && length % (kBlock - i) == 0) {
      return kBlock - i;
    }
  }
  return kBlock;
}

class Scan {
 public:
  Scan(const Ir& ir, MlirOperation op, bool reverse)
      : ir_(ir),
        op_(op),
        builder_(ir, op),
        fill_(ir.api.mlirOperationGetOperand(op, 1)),
        reverse_(reverse) {}

  MlirValue Along(size_t dimension, MlirValue array) const {
    const Dims shape = builder_.ShapeOf(array);
    const int64_t length = shape[dimension];
    if (length <= kLongest) return Whole(dimension, array);
    const int64_t size = BlockOf(length);
    const int64_t count = (length + size - 1) / size;
    const Dims none(shape.size(), 0);
    Dims rest = none;
    rest[dimension] = count * size - length;
    Dims blocks = shape;
    blocks[dimension] = count;
    Dims split = blocks;
    split.insert(At(split, dimension + 1), size);
    const MlirValue padded = builder_.Pad(array, fill_, none, rest, none);
    const MlirValue combined =
        Blocks(dimension, builder_.Reshape(padded, split), blocks);
    Dims whole = shape;
    whole[dimension] += rest[dimension];
    return builder_.Slice(builder_.Reshape(combined, whole), none, shape);
  }

 private:
  static Dims::iterator At(Dims& dims, size_t place) {
    return dims.begin() + static_cast<std::ptrdiff_t>(place);
  }

  // One element after another.
  MlirValue Whole(size_t dimension, MlirValue array) const {
    const Dims shape = builder_.ShapeOf(array);
    const MlirOperation scan = ir_.CloneBefore(op_, op_);
    ir_.api.mlirOperationSetOperand(scan, 0, array);
    WriteWindow(ir_, scan, CumulativeWindow(shape, {dimension, reverse_}));
    const MlirValue result = ir_.api.mlirOperationGetResult(scan, 0);
    ir_.api.mlirValueSetType(result, ir_.api.mlirValueGetType(array));
    return result;
  }

  // The scan of an array whose dimension is split in two, blocks (of the shape
  // `blocks`) and the elements of each, which are the next dimension.
  MlirValue Blocks(size_t dimension, MlirValue split,
                   const Dims& blocks) const {
    const Dims shape = builder_.ShapeOf(split);
    const size_t inner = dimension + 1;
    // With few neighbours, the elements come first: those of all blocks are
    // neighbours then.
    const int64_t neighbours =
        ElementCount(std::span(shape).subspan(inner + 1));
    const size_t place = neighbours < kVector ? 0 : inner;
    const MlirValue moved = Moved(split, inner, place);
    const MlirValue scanned = Whole(place, moved);
    if (reverse_ && place != inner && ElementCount(shape) >= kReversedApart) {
      ir_.PutBehindBarrier(moved);
    }
    const MlirValue before =
        Shifted(dimension, Along(dimension, Totals(scanned, place, blocks)));
    Dims along = UpTo(shape.size());
    along.erase(At(along, inner));
    const MlirValue spread = builder_.Broadcast(before, shape, along);
    const MlirValue each = Moved(scanned, place, inner);
    return builder_.Map(
        op_, 0, 0,
        reverse_ ? std::vector{each, spread} : std::vector{spread, each});
  }

  // The array with its dimension `from` at the place `to`.
  MlirValue Moved(MlirValue array, size_t from, size_t to) const {
    if (from == to) return array;
    Dims order = UpTo(builder_.ShapeOf(array).size());
    order.erase(At(order, from));
    order.insert(At(order, to), static_cast<int64_t>(from));
    return builder_.Transpose(array, order);
  }

  MlirValue Totals(MlirValue scanned, size_t place, const Dims& blocks) const {
    Dims end = builder_.ShapeOf(scanned);
    Dims begin(end.size(), 0);
    if (reverse_) {
      end[place] = 1;
    } else {
      begin[place] = end[place] - 1;
    }
    return builder_.Reshape(builder_.Slice(scanned, begin, end), blocks);
  }

  // What comes before each of the blocks.
  MlirValue Shifted(size_t dimension, MlirValue totals) const {
    const Dims none(builder_.ShapeOf(totals).size(), 0);
    Dims more = none;
    Dims fewer = none;
    more[dimension] = 1;
    fewer[dimension] = -1;
    return builder_.Pad(totals, fill_, reverse_ ? fewer : more,
                        reverse_ ? more : fewer, none);
  }

  const Ir& ir_;
  const MlirOperation op_;
  const StablehloBuilder builder_;
  const MlirValue fill_;
  const bool reverse_;
};

// Products of floats gain nothing: each of their roundings is a part of the
// result, in whatever order. Numbers near 1, of which the products of blocks
// are, have other distances below 1 than above; it adds up.
bool IsOfFloatProducts(const Ir& ir, MlirOperation op) {
  const MlirOperation first = ir.api.mlirBlockGetFirstOperation(ir.Body(op));
  const auto array = ArrayTypeOf(ir, ir.api.mlirOperationGetOperand(op, 0));
  return StablehloName(ir.Name(first)) == "multiply" && array &&
         HasFloats(array->Element());
}

}  // namespace

void ScanInBlocks(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "reduce_window" ||
        ir.api.mlirOperationGetNumResults(op) != 1 ||
        IsOfFloatProducts(ir, op)) {
      continue;
    }
    const MlirValue array = ir.api.mlirOperationGetOperand(op, 0);
    const Dims shape = StablehloBuilder(ir, op).ShapeOf(array);
    const std::optional<Cumulative> cumulative =
        CumulativeOf(ReadWindow(ir, op), shape);
    if (!cumulative || HasNoElements(shape) ||
        shape[cumulative->dimension] <= kLongest) {
      continue;
    }
    const Scan scan(ir, op, cumulative->reverse);
    ir.Replace(op, {scan.Along(cumulative->dimension, array)});
  }
}

}  // namespace iree_pjrt
