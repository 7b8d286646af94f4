// SPDX-License-Identifier: Apache-2.0
// The handler that a program's `fft` operations are answered by. DUCC, which
// XLA:CPU uses as well, computes them (ffi/ducc).
#ifndef IREE_PJRT_FFI_FFT_H_
#define IREE_PJRT_FFI_FFT_H_

#include "ffi/abi.h"
#include "ffi/ducc/transform.h"

namespace iree_pjrt {

// The custom call that stands for an `fft`; its attributes are `kind` (of
// FftKind, s32) and `rank` (of the transform, s32).
inline constexpr char kFftTarget[] = "iree_pjrt_fft";
void AnswerFft(const XLA_FFI_CallFrame& frame);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_FFT_H_
