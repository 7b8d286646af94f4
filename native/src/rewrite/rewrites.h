// SPDX-License-Identifier: Apache-2.0
// Rewrites of a program between parsing and IREE's pipeline: what JAX sends and
// libIREECompiler refuses. They know both forms of StableHLO (`vhlo.x_v1` and
// `stablehlo.x`).
#ifndef IREE_PJRT_REWRITE_REWRITES_H_
#define IREE_PJRT_REWRITE_REWRITES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ffi/foreign_call.h"
#include "rewrite/ir.h"

namespace iree_pjrt {

// `vhlo.all_reduce_v2` and `stablehlo.all_reduce` are both `all_reduce`; other
// dialects' operations have no StableHLO name (empty).
std::string_view StablehloName(std::string_view operation_name);

// The name of an operation of StableHLO in the form of another operation's:
// `vhlo.reshape_v1` or `stablehlo.reshape`.
std::string StablehloNameLike(std::string_view like, std::string_view name);

// Throws INVALID_ARGUMENT for a function that is damaged so that looking at it
// ends the process. Comes before all else that looks.
void CheckFunctions(const Ir& ir);

// composite -> call of its decomposition.
void RewriteComposites(const Ir& ir);

// Custom calls that only mark shardings, on a program for one device: their
// operand.
void RewriteShardingMarkers(const Ir& ir);

// Custom calls that only name a memory: their operands.
void RewritePlacementMarkers(const Ir& ir);

// Collectives over a group of one device: their operand; ids: zero.
void RewriteCollectivesOfOne(const Ir& ir);

// Custom calls of the typed FFI, and `fft`: calls of imported functions,
// described in `calls`. Throws NOT_FOUND for one that no handler is registered
// for.
void RewriteForeignCalls(const Ir& ir, std::vector<ForeignCall>& calls);

// Tokens: tensors of no bits. Changes the signature of functions.
void RewriteTokens(const Ir& ir);

// dynamic_update_slice of complex numbers, outside of loops: of their parts.
void RewriteComplexUpdates(const Ir& ir);

// abs of complex numbers of float32: in float64.
void RewriteComplexAbs(const Ir& ir);

// reduce of a large array to one value: of its parts, and of their results.
void SplitFullReductions(const Ir& ir);

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

// The largest and smallest of floats, as those of integers in the same order.
void OrderFloatExtremes(const Ir& ir);

// On the module after IREE's input phase: `main` never writes into its inputs,
// but for those that are donated (`donatable`, one for each input).
void KeepInputs(const Ir& ir, const std::vector<bool>& donatable);

// On the module after IREE's input phase: scatters into constants and slices,
// and sorts of constants, write into copies.
void FreeTargets(const Ir& ir);

// On the module after IREE's input phase: complex constants of rank 0 are made
// of their parts.
void SplitComplexConstants(const Ir& ir);

// On the same: a part of complex numbers that is constant, as a constant.
void FoldKnownParts(const Ir& ir);

// On the module after IREE's input phase: slices that elements are taken from
// at an index are arrays, and so is what every other element is taken from.
void CopySlicedSources(const Ir& ir);

// On the module after IREE's input phase: only as many operations as IREE's
// runtime has operands for follow each other without a barrier between them.
void LimitDispatchOperands(const Ir& ir);

// On the module after IREE's input phase: sums of products stay vectorized.
void KeepProductSums(const Ir& ir);

// On the module after IREE's input phase: functions of floats of at most 32
// bits that IREE computes badly, in float64. Comes before the two below.
void WidenMath(const Ir& ir);

// On the module after IREE's input phase: functions of float64 that IREE lowers
// badly or not at all.
void ExpandFloat64Math(const Ir& ir);

// On the module after IREE's input phase: powers of negative numbers and of
// zero, as C's pow has them.
void ExpandPowers(const Ir& ir);

// On the module after IREE's input phase: what is equal stays in order.
void StabilizeSorts(const Ir& ir);

// On the module right before IREE analyses affinities or makes streams: the
// results of each loop are, one by one, the values that it carries.
void AlignLoops(const Ir& ir);

// On the module after IREE refined how memory is used: views of a part of it
// are of the kind that the whole is of.
void RefineSubviews(const Ir& ir);

// Loops and conditionals whose regions use what is computed outside: with a
// side effect. Comes right before IREE decides what is run together.
void PinCapturedValues(const Ir& ir);

// On the module after IREE's flow phase: results of dispatches without operands
// stay apart.
void GuardLoneDispatches(const Ir& ir);

// On the same: what loops and conditionals hand out is not written into while
// it is to be read elsewhere.
void KeepSharedResults(const Ir& ir);

// On the same: reductions whose terms are all one number are not vectorized.
void GuardConstantTerms(const Ir& ir);

// On the module after IREE's hal phase: the compiled object (what `object`
// returns) takes the place of its name. False if the module has no code for it.
bool EmbedObject(const Ir& ir, const std::function<std::string()>& object);

// On the module after IREE's vm phase: what is handed to a block can be moved
// from register to register.
void SeparateBlockArguments(const Ir& ir);

// The first of the above, those before KeepInputs, for a program over
// `device_count` devices. Returns its foreign calls.
std::vector<ForeignCall> RewriteProgram(const Ir& ir, size_t device_count);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_REWRITES_H_
