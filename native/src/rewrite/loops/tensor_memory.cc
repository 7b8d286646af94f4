// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/tensor_memory.h"

#include <algorithm>
#include <string>

#include "mlir/generics.h"

namespace iree_pjrt {

void TensorMemory::Bind(MlirValue tensor, const View& view) {
  view.root->names.push_back(tensor);
  views_.insert_or_assign(tensor.ptr, view);
}

const View& TensorMemory::ViewOf(MlirValue tensor) {
  const auto found = views_.find(tensor.ptr);
  if (found != views_.end()) return found->second;
  const MlirType type = ir_.api.mlirValueGetType(tensor);
  const auto splat = splats_.find(tensor.ptr);
  if (splat == splats_.end() && !IsUndefined(tensor)) {
    throw LoopRefused{"no memory of " + ir_.Print(type)};
  }
  const View view = buffers_.Allocate(type, {nullptr});
  if (splat != splats_.end()) {
    buffers_.Fill(view, splat->second, buffers_.start());
  }
  Bind(tensor, view);
  return views_.at(tensor.ptr);
}

// Whether all that is in the memory is used before `op`, but for this operand
// of it.
bool TensorMemory::MayReplace(MlirValue tensor, MlirOperation op,
                              unsigned operand) const {
  const auto found = views_.find(tensor.ptr);
  if (found == views_.end()) return false;
  const View& view = found->second;
  if (!view.IsWhole() || view.root->home.ptr != uses_.BlockOf(op).ptr) {
    return false;
  }
  for (const MlirValue name : view.root->names) {
    for (const Use& use : uses_.Of(name)) {
      const bool this_one = use.user.ptr == op.ptr && use.operand == operand &&
                            name.ptr == tensor.ptr;
      if (!this_one && !uses_.IsBefore(use.user, op)) return false;
    }
  }
  return true;
}

View TensorMemory::Taken(MlirOperation op, unsigned operand, MlirBlock home) {
  const MlirValue tensor = ir_.Operands(op).at(operand);
  if (MayReplace(tensor, op, operand)) {
    const View& view = views_.at(tensor.ptr);
    return home.ptr == uses_.BlockOf(op).ptr
               ? view
               : buffers_.InAnotherRole(view, home);
  }
  const View own = buffers_.Allocate(ir_.api.mlirValueGetType(tensor), home);
  if (const auto splat = splats_.find(tensor.ptr); splat != splats_.end()) {
    buffers_.Fill(own, splat->second, op);
  } else if (!IsUndefined(tensor)) {
    buffers_.Copy(ViewOf(tensor), own, op);
  }
  return own;
}

bool TensorMemory::IsUsedInPlace(MlirValue tensor, const Use& use,
                                 const View& target) const {
  const View& view = views_.at(tensor.ptr);
  const auto maps = IndexingMaps(ir_, use.user);
  return view.IsWhole() && view.shape == target.shape &&
         maps.at(use.operand) == maps.back() &&
         std::ranges::count(maps.back(), kNoLoop) == 0;
}

bool TensorMemory::IsGivenUp(const View& target, MlirOperation op) const {
  for (const Root& role : buffers_.roots()) {
    if (role.memref.ptr != target.root->memref.ptr ||
        role.home.ptr != uses_.BlockOf(op).ptr) {
      continue;
    }
    for (const MlirValue name : role.names) {
      for (const Use& use : uses_.Of(name)) {
        if (uses_.IsBefore(use.user, op)) continue;
        if (use.user.ptr != op.ptr || !IsUsedInPlace(name, use, target)) {
          return false;
        }
      }
    }
  }
  return true;
}

MlirOperation TensorMemory::Renewed(MlirOperation op,
                                    const std::vector<MlirValue>& operands) {
  const intptr_t regions = ir_.api.mlirOperationGetNumRegions(op);
  std::vector<MlirNamedAttribute> attributes;
  for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumAttributes(op); ++i) {
    attributes.push_back(ir_.api.mlirOperationGetAttribute(op, i));
  }
  const MlirOperation renewed =
      ir_.CreateBefore(op, ir_.Name(op), operands, {}, attributes, regions);
  for (intptr_t i = 0; i < regions; ++i) {
    ir_.api.mlirRegionTakeBody(ir_.api.mlirOperationGetRegion(renewed, i),
                               ir_.api.mlirOperationGetRegion(op, i));
  }
  LeaveOver(op);
  return renewed;
}

void TensorMemory::DestroyLeftOver() {
  for (size_t i = old_.size(); i-- > 0;) {
    ir_.api.mlirOperationDestroy(old_[i]);
  }
  old_.clear();
}

}  // namespace iree_pjrt
