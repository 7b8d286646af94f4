// SPDX-License-Identifier: Apache-2.0
// The program as the framework sent it: StableHLO, in either of its forms, with
// functions of its own. What JAX sends and libIREECompiler refuses, or gets
// wrong.
#ifndef IREE_PJRT_REWRITE_STABLEHLO_PASSES_H_
#define IREE_PJRT_REWRITE_STABLEHLO_PASSES_H_

#include <vector>

#include "ffi/foreign_call.h"
#include "mlir/ir.h"

namespace iree_pjrt {

// Throws INVALID_ARGUMENT for a function that is damaged so that looking at
// it ends the process. Comes before all else that looks.
void CheckFunctions(const Ir& ir);

// select_and_scatter: elementwise operations, or a scatter. Comes before the
// passes over scatters.
void ExpandSelectAndScatter(const Ir& ir);

// Windows that have one place along a dimension: of what they see. Comes before
// what expands windows.
void CutUnusedEnds(const Ir& ir);

// Reductions along dimensions of one element: the array in another shape.
void ReshapeUnitReductions(const Ir& ir);

// Selections of arrays by one boolean: by an array of it.
void SpreadPredicates(const Ir& ir);

// Where the largest element is: found by it, not beside it.
void LocateExtremes(const Ir& ir);

// Sums over windows, each of which sees one element among zeros: that element,
// so often repeated.
void RepeatWindowedElements(const Ir& ir);

// reduce_window of several arrays, or with a body that is not one operation:
// elementwise operations.
void ExpandWindows(const Ir& ir);

// gather at indices of several dimensions side by side: of one. Comes before
// ClampGathers.
void FlattenGathers(const Ir& ir);

// gather: its indices are clamped; dynamic_slice, dynamic_update_slice: their
// indices become signed.
void ClampGathers(const Ir& ir);

// The six that bring scatters into IREE's form, in this order. Batching
// dimensions: components of the indices.
void ExpandBatchedScatters(const Ir& ir);
// Those of a single window: updates of a slice.
void UpdateOneWindow(const Ir& ir);
// Dimensions that nothing indexes and windows leave out: the index 0.
void IndexInsertedDimensions(const Ir& ir);

// Indices of several components that are put together become one number.
void FlattenScatters(const Ir& ir);
// Updates that do not fit: written where they change nothing. `is_checked`:
// whether the code of scatters leaves out elements that do not fit.
void KeepScattersInBounds(const Ir& ir, bool is_checked);
// Windows along indexed dimensions: an index for each element.
void SpreadIndexedWindows(const Ir& ir);
// Indexed dimensions first, windows last, in arrays and updates.
void PutIndexedDimensionsFirst(const Ir& ir);

// Cumulative reductions, but for products of floats: scans of blocks. Comes
// after WidenSums, so that what blocks come to is not rounded.
void ScanInBlocks(const Ir& ir);

// composite -> call of its decomposition.
void RewriteComposites(const Ir& ir);

// Custom calls that only mark shardings: their operand. Throws INVALID_ARGUMENT
// where that is of another type.
void RewriteShardingMarkers(const Ir& ir);

// Custom calls that only name a memory: their operands.
void RewritePlacementMarkers(const Ir& ir);

// Collectives over a group of one device: their operand; ids: zero. Throws
// INVALID_ARGUMENT where a result is of another type.
void RewriteCollectivesOfOne(const Ir& ir);

// sort by a lexicographic order: custom call of the typed FFI.
void RewriteSorts(const Ir& ir);

// sort of long lines by any other comparator: a loop of sorts of pairs.
void SortInSteps(const Ir& ir);

// Custom calls of the typed FFI, and `fft`: calls of imported functions,
// described in `calls`. Throws NOT_FOUND for one that no handler is
// registered for.
void RewriteForeignCalls(const Ir& ir, std::vector<ForeignCall>& calls);

// Tokens: tensors of no bits. Changes the signature of functions.
void RewriteTokens(const Ir& ir);

// dynamic_update_slice of complex numbers, outside of loops: of their parts.
void RewriteComplexUpdates(const Ir& ir);

// abs of complex numbers of float32: of the ratio of their parts.
void RewriteComplexAbs(const Ir& ir);

// Floats of 16 bits are widened before large products, once; bfloat16 only
// without kernels for it.
void WidenFactors(const Ir& ir, bool has_bfloat16_kernels);

// expm1, tan and tanh of complex numbers: of their parts, in float64.
void WidenComplexMath(const Ir& ir);

// Products and convolutions of arrays without elements: zeros.
void ReplaceEmptyProducts(const Ir& ir);

// A transposed dot_general: dot_general of the other factor with the first.
void SwapFactors(const Ir& ir);

// dot_general that adds nothing up: multiply. Comes before what widens types.
void ExpandOuterProducts(const Ir& ir);

// Sums of floats of at most 16 bits, also those within products and
// convolutions: in float32.
void WidenSums(const Ir& ir);

// Grouped convolutions: their operands get the type of the result. Comes after
// WidenSums, which changes that.
void MatchGroupedOperands(const Ir& ir);

// Convolutions: the dimensions of their arrays in IREE's order.
void OrderConvolutions(const Ir& ir);

// A reverse that is transposed: behind a barrier. Comes after
// OrderConvolutions.
void GuardReverses(const Ir& ir);

// Convolutions with large kernels: dot_general of what all windows see with the
// kernel. Comes after OrderConvolutions.
void MultiplyPatches(const Ir& ir);

// iota of floats of 8 and 16 bits: converted from one of f32.
void WidenIotas(const Ir& ir);

// reverse of no dimension: nothing.
void DropIdleReverses(const Ir& ir);

// Arrays that are padded between their elements to be added up: elements that
// take turns. Comes before SeparatePads.
void InterleavePads(const Ir& ir);

// Convolutions with few places for a large window: dot_general for each place.
// Comes before SliceNegativePads and what takes products.
void MultiplyWindows(const Ir& ir);

// Padding that takes elements away: a slice. Comes before SeparatePads.
void SliceNegativePads(const Ir& ir);

// Padding between elements is a step of its own.
void SeparatePads(const Ir& ir);

// Constants of complex128, and what is padded: made of their parts.
void SplitComplex128(const Ir& ir);

// Large dot_general of 8-bit integers and of bfloat16: custom call of the typed
// FFI, for processors with AMX. Comes after WidenSums and what makes products
// of convolutions.
void MultiplyTiles(const Ir& ir);

// dot_general with a long vector, or (`rows`) of the rows of a matrix with one:
// a reduce of products. Comes before SplitReductions and after WidenSums.
void SumLongProducts(const Ir& ir, bool rows);

// dot_general of matrices with long sums: sums of shorter ones. Comes after
// WidenSums and SumLongProducts.
void SplitLongProducts(const Ir& ir);

// reduce of many elements to one: of parts, and of their results.
void SplitReductions(const Ir& ir);

// dot_general with an algorithm: without one.
void RewriteDotProducts(const Ir& ir);

// A change of shape whose result several functions share: behind a barrier.
void GuardSharedShapes(const Ir& ir);

// Integers of less than a byte: bytes. Changes the signature of functions.
void WidenSmallIntegers(const Ir& ir);

// rng_bit_generator: bits and new state from a generator each.
void RewriteRngStates(const Ir& ir);

// Of unsigned integers reduce_window, reverse, scatter and sort are those of
// signed ones, the same bits.
void RewriteUnsignedOperations(const Ir& ir);

// Slices of a transposed array are those of the array.
void SliceBeforeTransposing(const Ir& ir);

// slice of what was converted: converted after the slice.
void ConvertAfterSlices(const Ir& ir);

// reduce of complex numbers: of real and imaginary parts, `at_once` by one
// operation.
void SplitComplexReductions(const Ir& ir, bool at_once);

// The largest and smallest of floats, as those of integers in the same
// order.
void OrderFloatExtremes(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_STABLEHLO_PASSES_H_
