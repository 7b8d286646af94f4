// SPDX-License-Identifier: Apache-2.0
// stablehlo.fft over the last dimensions of a batch of arrays.
#include <algorithm>
#include <cstring>

#include "ffi/api.h"
#include "ffi/call_attributes.h"
#include "ffi/fft.h"
#include "ffi/foreign_call.h"
#include "runtime/cpu_features.h"

namespace iree_pjrt {
namespace {

std::vector<size_t> DimsOf(const XLA_FFI_Buffer& buffer) {
  return {buffer.dims, buffer.dims + buffer.rank};
}

size_t SizeOf(const std::vector<size_t>& dims) {
  size_t size = 1;
  for (size_t dim : dims) size *= dim;
  return size;
}

// Whether the numbers are of twice the precision.
bool CheckTypes(FftKind kind, XLA_FFI_DataType input, XLA_FFI_DataType output) {
  const bool twice =
      input == XLA_FFI_DataType_F64 || input == XLA_FFI_DataType_C128;
  const auto real = twice ? XLA_FFI_DataType_F64 : XLA_FFI_DataType_F32;
  const auto complex = twice ? XLA_FFI_DataType_C128 : XLA_FFI_DataType_C64;
  if (input != (kind == FftKind::kRfft ? real : complex) ||
      output != (kind == FftKind::kIrfft ? real : complex)) {
    RefuseCall(kFftTarget);
  }
  return twice;
}

void CheckShape(FftKind kind, const FftShape& shape) {
  const size_t rank = shape.input.size();
  if (shape.output.size() != rank || shape.rank > rank) RefuseCall(kFftTarget);
  std::vector<size_t> input = shape.input;
  std::vector<size_t> output = shape.output;
  // Of a real signal there are the coefficients up to the middle.
  if (kind == FftKind::kRfft) input.back() = input.back() / 2 + 1;
  if (kind == FftKind::kIrfft) output.back() = output.back() / 2 + 1;
  if (input != output) RefuseCall(kFftTarget);
}

// As transform.h says, by the fastest code that this processor runs.
template <typename T>
void TransformHere(FftKind kind, const FftShape& shape, const void* from,
                   void* to) {
#if defined(__x86_64__)
  static const bool has_avx2 = IsX86V3();
  if (has_avx2) return avx2::Transform<T>(kind, shape, from, to);
#endif
  baseline::Transform<T>(kind, shape, from, to);
}

}  // namespace

void AnswerFft(const XLA_FFI_CallFrame& frame) {
  if (frame.args.size != 1 || frame.rets.size != 1) RefuseCall(kFftTarget);
  const auto& input = *static_cast<const XLA_FFI_Buffer*>(frame.args.args[0]);
  const auto& output = *static_cast<const XLA_FFI_Buffer*>(frame.rets.rets[0]);
  const int32_t number = ScalarAttribute(frame.attrs, "kind");
  const int32_t rank = ScalarAttribute(frame.attrs, "rank");
  if (number < 0 || number > static_cast<int32_t>(FftKind::kIrfft) ||
      rank < 1) {
    RefuseCall(kFftTarget);
  }
  const auto kind = static_cast<FftKind>(number);
  const FftShape shape{DimsOf(input), DimsOf(output),
                       static_cast<size_t>(rank)};
  const bool twice = CheckTypes(kind, input.dtype, output.dtype);
  const size_t size = SizeOf(shape.output);
  if (size == 0) return;
  if (SizeOf(shape.input) == 0) {
    std::memset(output.data, 0, size * ByteSizeOf(output.dtype));
    return;
  }
  CheckShape(kind, shape);
  twice ? TransformHere<double>(kind, shape, input.data, output.data)
        : TransformHere<float>(kind, shape, input.data, output.data);
}

}  // namespace iree_pjrt
