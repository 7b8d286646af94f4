// SPDX-License-Identifier: Apache-2.0
// The handler that makes permutations of the pivots of LU decompositions.
#ifndef IREE_PJRT_FFI_LU_PIVOTS_H_
#define IREE_PJRT_FFI_LU_PIVOTS_H_

#include "ffi/abi.h"

namespace iree_pjrt {

// JAX's name for its handler on GPUs: it has a lowering to this call, and takes
// it for stable in exported programs. The operand's lines, s32, are the rows
// that each row was swapped with, one after another; the result's, s32 and not
// shorter, are the permutations of rows which that makes.
inline constexpr char kLuPivotsTarget[] = "cu_lu_pivots_to_permutation";
void AnswerLuPivots(const XLA_FFI_CallFrame& frame);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_LU_PIVOTS_H_
