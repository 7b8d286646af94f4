// SPDX-License-Identifier: Apache-2.0
// What the rewrites ask of `linalg.generic`.
#ifndef IREE_PJRT_MLIR_GENERICS_H_
#define IREE_PJRT_MLIR_GENERICS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// False for null.
bool IsGeneric(const Ir& ir, MlirOperation op);

// Whether it is a generic with a dimension that it reduces.
bool IsReduction(const Ir& ir, MlirOperation op);

// Whether it is a generic without such a dimension. False for null.
bool IsElementwise(const Ir& ir, MlirOperation op);

// Whether two arrays have elements of one type.
bool SameElements(const Ir& ir, MlirValue one, MlirValue other);

// Whether it is a generic that reduces products of two arrays: a contraction
// that has no name.
bool IsContraction(const Ir& ir, MlirOperation op);

// Loops of a generic, by their numbers.
using LoopList = std::vector<int64_t>;

// For each operand and result of a generic the loops that index the array: of
// map (d0, d1) -> (d1, 0), 1 and kNoLoop.
inline constexpr int64_t kNoLoop = -1;
std::vector<LoopList> IndexingMaps(const Ir& ir, MlirOperation op);

// 0, 1, ..., count - 1
LoopList AllLoops(int64_t count);
// `affine_map<(d0, d1) -> (d1)>`: of `count` loops, indexed by these.
std::string MapText(int64_t count, const LoopList& indexing);
// The `iterator_types` of loops that reduce nothing.
std::string ParallelLoops(int64_t count);

// What computes the single value that the body of a generic yields; null for
// other operations, several values, and values from outside.
MlirOperation YieldedBy(const Ir& ir, MlirOperation op);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_GENERICS_H_
