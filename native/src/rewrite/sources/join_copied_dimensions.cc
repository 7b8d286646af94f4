// SPDX-License-Identifier: Apache-2.0
// Copies of parts of arrays: concatenations, paddings. IREE (3.11, 3.13) copies
// along the last dimension, which may be short: pixels of three channels, one
// by one. Dimensions that a copy has whole, on both sides, are one with the
// dimension before: rows of pixels, in a quarter of the time.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mlir/memory_type.h"
#include "mlir/reshapes.h"
#include "mlir/slices.h"
#include "rewrite/sources/passes.h"

namespace iree_pjrt {
namespace {

// The part of an array in memory that a load or a store is about.
class Part {
 public:
  Part(const Ir& ir, MlirOperation op, MlirValue memory)
      : ir_(ir),
        op_(op),
        memory_(memory),
        shape_(ShapeInMemory(ir, memory)),
        slice_(ReadSlice(ir, op)) {}

  // Whether all numbers are known, and nothing else uses the memory.
  bool IsPlain() const {
    return slice_ && !shape_.empty() && slice_->sizes.size() == shape_.size() &&
           ir_.Uses(memory_).size() == 1 && ir_.Definition(memory_).ptr;
  }
  size_t rank() const { return shape_.size(); }
  const std::vector<int64_t>& sizes() const { return slice_->sizes; }

  // Whether it is whole along this dimension, and without gaps along the one
  // before.
  bool MayJoin(size_t dimension) const {
    return slice_->sizes[dimension] == shape_[dimension] &&
           slice_->steps[dimension] == 1 && slice_->steps[dimension - 1] == 1;
  }

  void Join(size_t dimension) {
    const int64_t whole = shape_[dimension];
    for (auto* numbers :
         {&shape_, &slice_->offsets, &slice_->sizes, &slice_->steps}) {
      numbers->erase(numbers->begin() + static_cast<std::ptrdiff_t>(dimension));
    }
    for (auto* numbers : {&shape_, &slice_->offsets, &slice_->sizes}) {
      (*numbers)[dimension - 1] *= whole;
    }
  }

  void Write() const {
    SetShapeInMemory(ir_, memory_, shape_);
    SetSlice(ir_, op_, *slice_);
  }

 private:
  const Ir& ir_;
  const MlirOperation op_;
  const MlirValue memory_;
  std::vector<int64_t> shape_;
  std::optional<Slice> slice_;
};

void Join(const Ir& ir, MlirOperation load, MlirOperation store) {
  const MlirValue elements = ir.Results(load)[0];
  if (ir.Uses(elements).size() != 1) return;
  Part from(ir, load, ir.Operands(load)[0]);
  Part to(ir, store, ir.Operands(store)[1]);
  if (!from.IsPlain() || !to.IsPlain()) return;
  // IREE leaves dimensions of 1 out between the two, and not always the same:
  // then the dimensions of one are not those of the other.
  if (from.sizes() != to.sizes()) return;
  const size_t rank = from.rank();
  for (size_t i = rank; i-- > 1;) {
    if (!from.MayJoin(i) || !to.MayJoin(i)) continue;
    from.Join(i);
    to.Join(i);
  }
  if (from.rank() == rank) return;
  from.Write();
  to.Write();
  ir.api.mlirValueSetType(elements, TypeInShape(ir, elements, from.sizes()));
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
