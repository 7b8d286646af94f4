// SPDX-License-Identifier: Apache-2.0
// Copies of parts of arrays: concatenations, paddings. IREE (3.11, 3.13) copies
// along the last dimension, which may be short: pixels of three channels, one
// by one. Dimensions that a copy has whole, on both sides, are one with the
// dimension before: rows of pixels, in a quarter of the time.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "mlir/attributes.h"
#include "rewrite/sources/memory_type.h"
#include "rewrite/sources/passes.h"

namespace iree_pjrt {
namespace {

using Dims = std::vector<int64_t>;

constexpr char kOffsets[] = "static_offsets";
constexpr char kSizes[] = "static_sizes";
constexpr char kStrides[] = "static_strides";

// The part of an array in memory that a load or a store is about.
class Part {
 public:
  Part(const Ir& ir, MlirOperation op, MlirValue memory)
      : ir_(ir),
        op_(op),
        memory_(memory),
        shape_(ShapeInMemory(ir, memory)),
        offsets_(ReadIntegers(ir, ir.Attribute(op, kOffsets))),
        sizes_(ReadIntegers(ir, ir.Attribute(op, kSizes))),
        strides_(ReadIntegers(ir, ir.Attribute(op, kStrides))) {}

  // Whether all numbers are known, and nothing else uses the memory.
  bool IsPlain() const {
    const auto known = [](const Dims& numbers) {
      return std::ranges::all_of(numbers,
                                 [](int64_t number) { return number >= 0; });
    };
    return !shape_.empty() && sizes_.size() == shape_.size() && known(shape_) &&
           known(offsets_) && known(sizes_) && ir_.Uses(memory_).size() == 1 &&
           ir_.Definition(memory_).ptr;
  }
  size_t rank() const { return shape_.size(); }
  const Dims& sizes() const { return sizes_; }

  // Whether it is whole along this dimension, and without gaps along the one
  // before.
  bool MayJoin(size_t dimension) const {
    return sizes_[dimension] == shape_[dimension] && strides_[dimension] == 1 &&
           strides_[dimension - 1] == 1;
  }

  void Join(size_t dimension) {
    const int64_t whole = shape_[dimension];
    for (Dims* numbers : {&shape_, &offsets_, &sizes_, &strides_}) {
      numbers->erase(numbers->begin() + static_cast<std::ptrdiff_t>(dimension));
    }
    for (Dims* numbers : {&shape_, &offsets_, &sizes_}) {
      (*numbers)[dimension - 1] *= whole;
    }
  }

  void Write() const {
    SetShapeInMemory(ir_, memory_, shape_);
    ir_.SetAttribute(op_, kOffsets, ir_.Parse(Array64(offsets_)));
    ir_.SetAttribute(op_, kSizes, ir_.Parse(Array64(sizes_)));
    ir_.SetAttribute(op_, kStrides, ir_.Parse(Array64(strides_)));
  }

 private:
  const Ir& ir_;
  const MlirOperation op_;
  const MlirValue memory_;
  Dims shape_;
  Dims offsets_;
  Dims sizes_;
  Dims strides_;
};

void Join(const Ir& ir, MlirOperation load, MlirOperation store) {
  const MlirValue elements = ir.Results(load)[0];
  if (ir.Uses(elements).size() != 1) return;
  Part from(ir, load, ir.Operands(load)[0]);
  Part to(ir, store, ir.Operands(store)[1]);
  if (!from.IsPlain() || !to.IsPlain() || from.rank() != to.rank()) return;
  const size_t rank = from.rank();
  for (size_t i = rank; i-- > 1;) {
    if (!from.MayJoin(i) || !to.MayJoin(i)) continue;
    from.Join(i);
    to.Join(i);
  }
  if (from.rank() == rank) return;
  from.Write();
  to.Write();
  const MlirType type = ir.api.mlirValueGetType(elements);
  ir.api.mlirValueSetType(
      elements,
      ir.ParseType("tensor<" + Dimensions(from.sizes()) +
                   ir.Print(ir.api.mlirShapedTypeGetElementType(type)) + ">"));
}

}  // namespace

void JoinCopiedDimensions(const Ir& ir) {
  for (const MlirOperation store : ir.AllOperations()) {
    if (!IsStore(ir, store)) continue;
    const MlirOperation load = ir.Definition(ir.Operands(store)[0]);
    if (IsLoad(ir, load)) Join(ir, load, store);
  }
}

}  // namespace iree_pjrt
