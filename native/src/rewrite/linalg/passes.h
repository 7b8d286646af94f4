// SPDX-License-Identifier: Apache-2.0
// After IREE's input phase: one function, linalg on tensors and scalar
// operations in bodies; StableHLO is gone, and IREE has fused nothing yet.
#ifndef IREE_PJRT_REWRITE_LINALG_PASSES_H_
#define IREE_PJRT_REWRITE_LINALG_PASSES_H_

#include <cstddef>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// A slice of a part of what was put together is a slice of the part.
void TakeFromParts(const Ir& ir);

// What is put together of columns chooses between them.
void InterleaveParts(const Ir& ir);

// `main` never writes into its inputs, but for those that are donated
// (`donatable`, one for each input).
void KeepInputs(const Ir& ir, const std::vector<bool>& donatable);

// Scatters into constants and slices, and sorts of constants, write into
// copies.
void FreeTargets(const Ir& ir);

// What is written into an array is no view of the same array. Comes after
// FreeTargets.
void CopyOwnSlices(const Ir& ir);

// Complex constants of rank 0 are made of their parts.
void SplitComplexConstants(const Ir& ir);

// A part of complex numbers that is constant, as a constant.
void FoldKnownParts(const Ir& ir);

// Slices that elements are taken from at an index are arrays, and so is what
// every other element is taken from.
void CopySlicedSources(const Ir& ir);

// What puts elements at a distance from each other is a step of its own.
void GuardStridedInserts(const Ir& ir);

// Only as many operations as IREE's runtime has operands for follow each
// other without a barrier between them. `most`: arrays of a dispatch; it is
// below what the runtime takes, as arrays are estimated here.
inline constexpr size_t kMostArraysOnCpus = 24;
inline constexpr size_t kMostArraysOnGpus = 12;
void LimitDispatchOperands(const Ir& ir, size_t most);

// For programs whose products are packed. What elements are taken from at an
// index, and a product uses, is an array of its own.
void GuardTakenSources(const Ir& ir);

// What is reduced, and then indexed in two ways by one operation, is an array
// of its own.
void GuardCrossedResults(const Ir& ir);

// Of reductions of several results none is transposed.
void GuardPairedResults(const Ir& ir);

// Sums of rows that lines of a larger array repeat are an array of their own.
void GuardRepeatedSums(const Ir& ir);

// What is used whole, and taken from at an index that is known, is an array of
// its own.
void GuardTakenParts(const Ir& ir);

// One element sliced from a list that is computed from another type is taken
// from an array.
void GuardSlicedElements(const Ir& ir);

// Sums of products stay vectorized.
void KeepProductSums(const Ir& ir);

// Large matmul of float64: mmt4d of packed factors.
void PackFloat64Products(const Ir& ir);

// Floats of 8 bits are rounded to as they are elsewhere. Comes before the
// four below.
void RoundFloats8(const Ir& ir);

// NaN becomes the integer zero, and floats out of range the nearest integer.
void SaturateConversions(const Ir& ir);

// Powers of negative numbers and of zero, as C's pow has them.
void ExpandPowers(const Ir& ir);

// Functions of floats of at most 32 bits that IREE computes badly, in
// float64. Comes before the one below.
void WidenMath(const Ir& ir);

// Functions of float64 that IREE lowers badly or not at all.
void ExpandFloat64Math(const Ir& ir);

// What is equal stays in order.
void StabilizeSorts(const Ir& ir);

// Arrays of one known number are filled with it.
void FillWithConstants(const Ir& ir);

// What is scattered, and where to, is computed before.
void GuardScatteredValues(const Ir& ir);

// What a loop takes at its own place becomes its input.
void TakeIndicesAsInputs(const Ir& ir);

// Rows that are taken from computed places: these come in arrays.
void IndexByRows(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LINALG_PASSES_H_
