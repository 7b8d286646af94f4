// SPDX-License-Identifier: Apache-2.0
// Which memory the tensors of a function are in while it is put on memory, and
// when memory may be written into: where every use of what is in it lies
// before.
#ifndef IREE_PJRT_REWRITE_LOOPS_TENSOR_MEMORY_H_
#define IREE_PJRT_REWRITE_LOOPS_TENSOR_MEMORY_H_

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mlir/ir.h"
#include "rewrite/loops/buffers.h"
#include "rewrite/loops/frozen_uses.h"

namespace iree_pjrt {

class TensorMemory {
 public:
  TensorMemory(const Ir& ir, MlirOperation function)
      : ir_(ir), buffers_(ir, function), uses_(ir, function) {}

  Buffers& buffers() { return buffers_; }
  const Buffers& buffers() const { return buffers_; }
  const FrozenUses& uses() const { return uses_; }

  void Bind(MlirValue tensor, const View& view);
  // Throws LoopRefused for a tensor that is nowhere.
  const View& ViewOf(MlirValue tensor);

  // Every element of the tensor is this number, as it is stored; memory of it
  // is made where it is needed.
  void SetSplat(MlirValue tensor, MlirValue number) {
    splats_.emplace(tensor.ptr, number);
  }

  // No element of the tensor was written.
  void SetUndefined(MlirValue tensor) { undefined_.insert(tensor.ptr); }
  bool IsUndefined(MlirValue tensor) const {
    return undefined_.contains(tensor.ptr);
  }

  // Memory with the contents of the operand, which the op may write into.
  View Taken(MlirOperation op, unsigned operand, MlirBlock home);

  // Whether all that is in the memory, seen from the block of the elementwise
  // op, is used before the op, or by it where it writes the target.
  bool IsGivenUp(const View& target, MlirOperation op) const;

  // The op on these operands, without results, with what was in it; the old one
  // is left over.
  MlirOperation Renewed(MlirOperation op,
                        const std::vector<MlirValue>& operands);
  // Another operation does now what this one did.
  void LeaveOver(MlirOperation op) { old_.push_back(op); }
  void DestroyLeftOver();

 private:
  bool MayReplace(MlirValue tensor, MlirOperation op, unsigned operand) const;
  bool IsUsedInPlace(MlirValue tensor, const Use& use,
                     const View& target) const;

  const Ir& ir_;
  Buffers buffers_;
  const FrozenUses uses_;
  std::unordered_map<const void*, View> views_;
  std::unordered_map<const void*, MlirValue> splats_;
  std::unordered_set<const void*> undefined_;
  std::vector<MlirOperation> old_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_TENSOR_MEMORY_H_
