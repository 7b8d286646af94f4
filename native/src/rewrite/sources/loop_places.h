// SPDX-License-Identifier: Apache-2.0
// A loop of an elementwise `linalg.generic` that counts the elements of several
// dimensions, and what its body divides the count by to get back to them.
#ifndef IREE_PJRT_REWRITE_SOURCES_LOOP_PLACES_H_
#define IREE_PJRT_REWRITE_SOURCES_LOOP_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

class LoopPlaces {
 public:
  // `loop`: which of `generic`, of `length` turns.
  LoopPlaces(const Ir& ir, MlirOperation generic, int64_t loop, int64_t length);

  // The dimensions, the one that is counted first in front. Their product is
  // the length.
  const std::vector<int64_t>& sizes() const { return sizes_; }

  // Whether the body asks for it.
  bool IsUsed(size_t dimension) const { return !places_[dimension].empty(); }
  // Whether `value` is the place along a dimension.
  bool Is(MlirValue value, size_t dimension) const;
  // What uses the place along a dimension.
  std::vector<Use> UsesOf(size_t dimension) const;

  // Everything that the body computes of the count, computed of the places
  // instead; one for each dimension.
  void Become(const std::vector<MlirValue>& places) const;

 private:
  void Split(int64_t length);
  // The first divisor of a count that leaves no rest of the length; 1 if there
  // is none.
  int64_t DivisorOf(const std::vector<MlirValue>& counts, int64_t length) const;
  MlirOperation FirstOfBody() const;

  const Ir& ir_;
  const MlirOperation generic_;
  std::vector<int64_t> sizes_;
  // For each dimension: what is its place, and what counts from it on outward.
  std::vector<std::vector<MlirValue>> places_;
  std::vector<std::vector<MlirValue>> counts_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_SOURCES_LOOP_PLACES_H_
