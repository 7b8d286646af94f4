// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/frozen_uses.h"

namespace iree_pjrt {

FrozenUses::FrozenUses(const Ir& ir, MlirOperation function) : ir_(ir) {
  Add(function, {nullptr}, {nullptr});
}

void FrozenUses::Add(MlirOperation op, MlirBlock block, MlirOperation parent) {
  places_.emplace(op.ptr, Place{places_.size(), block, parent});
  const std::vector<MlirValue> operands = ir_.Operands(op);
  for (unsigned i = 0; i < operands.size(); ++i) {
    uses_[operands[i].ptr].push_back({op, i});
  }
  for (const MlirBlock inner : ir_.Blocks(op)) {
    for (const MlirOperation one : ir_.OperationsOf(inner)) Add(one, inner, op);
  }
}

const std::vector<Use>& FrozenUses::Of(MlirValue value) const {
  static const auto& none = *new std::vector<Use>;
  const auto found = uses_.find(value.ptr);
  return found == uses_.end() ? none : found->second;
}

const FrozenUses::Place& FrozenUses::PlaceOf(MlirOperation op) const {
  return places_.at(op.ptr);
}

bool FrozenUses::IsBefore(MlirOperation inside, MlirOperation op) const {
  const MlirBlock block = BlockOf(op);
  while (inside.ptr && BlockOf(inside).ptr != block.ptr) {
    inside = PlaceOf(inside).parent;
  }
  return inside.ptr && PlaceOf(inside).number < PlaceOf(op).number;
}

}  // namespace iree_pjrt
