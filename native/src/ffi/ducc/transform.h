// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of any length by DUCC. Its sources are C++17, and large:
// transform.cc alone includes them; it is compiled once for each level.
#ifndef IREE_PJRT_FFI_DUCC_TRANSFORM_H_
#define IREE_PJRT_FFI_DUCC_TRANSFORM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iree_pjrt {

enum class FftKind : int32_t { kFft, kIfft, kRfft, kIrfft };

// Arrays in row-major order, the last `rank` dimensions of which are
// transformed, 1 or more. Neither is empty.
struct FftShape {
  std::vector<size_t> input;
  std::vector<size_t> output;
  size_t rank;
};

// For any processor of the architecture.
namespace baseline {

// T is float or double, of real numbers as well as of the parts of complex
// ones. Inverse transforms are divided by the number of elements. Throws a
// std::exception if the shapes do not fit the kind. Thread-safe.
template <typename T>
void Transform(FftKind kind, const FftShape& shape, const void* from, void* to);

}  // namespace baseline

// The same with AVX2 and FMA.
namespace avx2 {

template <typename T>
void Transform(FftKind kind, const FftShape& shape, const void* from, void* to);

}  // namespace avx2

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_DUCC_TRANSFORM_H_
