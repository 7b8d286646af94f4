// SPDX-License-Identifier: Apache-2.0
// Who uses the values of a function, and in which order: of the function as it
// was when this was made, whatever becomes of it.
#ifndef IREE_PJRT_REWRITE_LOOPS_FROZEN_USES_H_
#define IREE_PJRT_REWRITE_LOOPS_FROZEN_USES_H_

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

class FrozenUses {
 public:
  FrozenUses(const Ir& ir, MlirOperation function);

  const std::vector<Use>& Of(MlirValue value) const;
  MlirBlock BlockOf(MlirOperation op) const { return PlaceOf(op).block; }
  // Whether the operation, which is in the block or inside one that is, comes
  // to an end before `op` of the block begins.
  bool IsBefore(MlirOperation inside, MlirOperation op) const;

 private:
  struct Place {
    size_t number;
    MlirBlock block;
    MlirOperation parent;
  };

  void Add(MlirOperation op, MlirBlock block, MlirOperation parent);
  const Place& PlaceOf(MlirOperation op) const;

  const Ir& ir_;
  std::unordered_map<const void*, Place> places_;
  std::unordered_map<const void*, std::vector<Use>> uses_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_FROZEN_USES_H_
