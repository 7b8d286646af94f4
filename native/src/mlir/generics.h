// SPDX-License-Identifier: Apache-2.0
// What the rewrites ask of `linalg.generic`.
#ifndef IREE_PJRT_MLIR_GENERICS_H_
#define IREE_PJRT_MLIR_GENERICS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// False for null.
bool IsGeneric(const Ir& ir, MlirOperation op);

// Whether it is a generic with a dimension that it reduces.
bool IsReduction(const Ir& ir, MlirOperation op);

// Whether it is a generic without such a dimension. False for null.
bool IsElementwise(const Ir& ir, MlirOperation op);

// Whether an operand is a complex number, or an array of them.
bool HasComplexOperand(const Ir& ir, MlirOperation op);

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

// The loop that a `linalg.index` is the count of; nothing for other values.
std::optional<int64_t> LoopOf(const Ir& ir, MlirValue index);
// The count of a loop, in the body of its generic.
MlirValue MakeLoopIndex(const Ir& ir, MlirOperation before, int64_t loop);

// How many loops a generic has.
int64_t LoopCount(const Ir& ir, MlirOperation op);

// 0, 1, ..., count - 1
LoopList AllLoops(int64_t count);
// The `indexing_maps` of `count` loops.
MlirAttribute MapsOf(const Ir& ir, int64_t count,
                     const std::vector<LoopList>& maps);
// Gives a generic these maps, and as many loops as they name: what does not
// index the last is reduced.
void SetIndexingMaps(const Ir& ir, MlirOperation op,
                     const std::vector<LoopList>& maps);
// A generic without a body. The last operand is written; `maps`: which loops
// index each, and what does not index the last is reduced.
MlirOperation MakeGeneric(const Ir& ir, MlirOperation before,
                          const std::vector<MlirValue>& operands,
                          const std::vector<LoopList>& maps,
                          const std::vector<MlirType>& results);
// The elements of `arrays`, each of which loops in `maps` index, in the body of
// a generic of one result: the generic is made again with them as inputs,
// before those that it had.
std::vector<MlirValue> AddInputs(const Ir& ir, MlirOperation generic,
                                 std::vector<MlirValue> arrays,
                                 const std::vector<LoopList>& maps);
// An empty body, whose arguments are elements of the operands.
MlirBlock AddElementBody(const Ir& ir, MlirOperation generic);
// Each element of `target`, a tensor or memory, becomes that of `input`, an
// array of its shape or a scalar, converted by `operation` if that is not
// empty.
MlirOperation MakeElementwise(const Ir& ir, MlirOperation before,
                              std::string_view operation, MlirValue input,
                              MlirValue target);

// What computes the single value that the body of a generic yields; null for
// other operations, several values, and values from outside.
MlirOperation YieldedBy(const Ir& ir, MlirOperation op);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_GENERICS_H_
