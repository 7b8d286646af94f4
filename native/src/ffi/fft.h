// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of any length, computed in double precision, and the
// handler that a program's `fft` operations are answered by.
#ifndef IREE_PJRT_FFI_FFT_H_
#define IREE_PJRT_FFI_FFT_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "ffi/abi.h"

namespace iree_pjrt {

// One length. Immutable after construction; any thread may use it.
// Mixed radix; a length with a large prime factor becomes a convolution of a
// length that is a power of two (Bluestein).
class Fft {
 public:
  using Complex = std::complex<double>;

  explicit Fft(size_t size);
  ~Fft();

  size_t size() const { return size_; }
  // In place. The inverse is divided by the size.
  void Forward(Complex* line) const;
  void Inverse(Complex* line) const;

 private:
  struct Chirp;

  void Split(const Complex* from, Complex* to, size_t size, size_t stride,
             size_t factor) const;
  void Convolve(Complex* line) const;

  const size_t size_;
  std::vector<size_t> factors_;
  // Powers of the first root of unity.
  std::vector<Complex> roots_;
  std::unique_ptr<const Chirp> chirp_;
};

enum class FftKind : int32_t { kFft, kIfft, kRfft, kIrfft };

// The custom call that stands for an `fft`; its attributes are `kind` (of
// FftKind, s32) and `rank` (of the transform, s32).
inline constexpr char kFftTarget[] = "iree_pjrt_fft";
XLA_FFI_Error* FftHandler(XLA_FFI_CallFrame* frame);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_FFT_H_
