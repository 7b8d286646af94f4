// SPDX-License-Identifier: Apache-2.0
// stablehlo.fft over the last one to three dimensions of a batch of arrays.
#include <deque>

#include "ffi/api.h"
#include "ffi/call_attributes.h"
#include "ffi/fft.h"

namespace iree_pjrt {
namespace {

using Complex = Fft::Complex;

// One array of the batch on its way from the input to the output.
struct Grid {
  std::vector<size_t> dims;
  std::vector<Complex> values;

  size_t size() const {
    size_t size = 1;
    for (size_t dim : dims) size *= dim;
    return size;
  }
};

std::vector<size_t> LastDims(const XLA_FFI_Buffer& buffer, size_t rank) {
  return {buffer.dims + buffer.rank - rank, buffer.dims + buffer.rank};
}

void TransformAxis(Grid& grid, size_t axis, const Fft& fft, bool inverse) {
  size_t stride = 1;
  for (size_t i = axis + 1; i < grid.dims.size(); ++i) stride *= grid.dims[i];
  const size_t length = grid.dims[axis];
  std::vector<Complex> line(length);
  for (size_t block = 0; block < grid.values.size(); block += length * stride) {
    for (size_t i = 0; i < stride; ++i) {
      Complex* first = grid.values.data() + block + i;
      for (size_t k = 0; k < length; ++k) line[k] = first[k * stride];
      inverse ? fft.Inverse(line.data()) : fft.Forward(line.data());
      for (size_t k = 0; k < length; ++k) first[k * stride] = line[k];
    }
  }
}

// Takes the first numbers of each line along the last dimension; where there
// are fewer than `length`, the rest follows from the symmetry of a real signal.
Grid Resize(const Grid& grid, size_t length) {
  Grid resized{grid.dims, {}};
  resized.dims.back() = length;
  resized.values.reserve(resized.size());
  const size_t had = grid.dims.back();
  for (size_t begin = 0; begin < grid.values.size(); begin += had) {
    for (size_t k = 0; k < length; ++k) {
      resized.values.push_back(
          k < had ? grid.values[begin + k]
                  : std::conj(grid.values[begin + length - k]));
    }
  }
  return resized;
}

Grid Transform(Grid grid, FftKind kind, const std::deque<Fft>& plans,
               size_t last_output) {
  const bool inverse = kind == FftKind::kIfft || kind == FftKind::kIrfft;
  const size_t last = grid.dims.size() - 1;
  for (size_t axis = 0; axis < last; ++axis) {
    TransformAxis(grid, axis, plans[axis], inverse);
  }
  if (kind == FftKind::kIrfft) grid = Resize(grid, last_output);
  TransformAxis(grid, last, plans[last], inverse);
  if (kind == FftKind::kRfft) grid = Resize(grid, last_output);
  return grid;
}

template <typename T>
void Run(const XLA_FFI_Buffer& input, const XLA_FFI_Buffer& output,
         FftKind kind, size_t rank) {
  Grid shape{LastDims(input, rank), {}};
  const std::vector<size_t> out_dims = LastDims(output, rank);
  std::deque<Fft> plans;
  for (size_t axis = 0; axis < rank; ++axis) {
    plans.emplace_back(kind == FftKind::kIrfft ? out_dims[axis]
                                               : shape.dims[axis]);
  }
  size_t batch = 1;
  for (size_t i = 0; i + rank < static_cast<size_t>(input.rank); ++i) {
    batch *= static_cast<size_t>(input.dims[i]);
  }
  const bool real_input = kind == FftKind::kRfft;
  const auto* from = static_cast<const T*>(input.data);
  auto* to = static_cast<T*>(output.data);
  for (size_t b = 0; b < batch; ++b) {
    Grid grid = shape;
    grid.values.resize(grid.size());
    for (Complex& value : grid.values) {
      value = real_input ? Complex(from[0], 0) : Complex(from[0], from[1]);
      from += real_input ? 1 : 2;
    }
    for (const Complex& value :
         Transform(std::move(grid), kind, plans, out_dims.back()).values) {
      *to++ = static_cast<T>(value.real());
      if (kind != FftKind::kIrfft) *to++ = static_cast<T>(value.imag());
    }
  }
}

void Answer(const XLA_FFI_CallFrame& frame) {
  if (frame.args.size != 1 || frame.rets.size != 1) {
    ThrowInvalidArgument("an fft has one operand and one result");
  }
  const auto& input = *static_cast<const XLA_FFI_Buffer*>(frame.args.args[0]);
  const auto& output = *static_cast<const XLA_FFI_Buffer*>(frame.rets.rets[0]);
  const auto kind = static_cast<FftKind>(ScalarAttribute(frame.attrs, "kind"));
  const int32_t rank = ScalarAttribute(frame.attrs, "rank");
  if (rank < 1 || rank > input.rank || input.rank != output.rank) {
    ThrowInvalidArgument("an fft over " + std::to_string(rank) +
                         " dimensions of an array with " +
                         std::to_string(input.rank));
  }
  for (int64_t i = 0; i < output.rank; ++i) {
    if (output.dims[i] == 0 || input.dims[i] == 0) return;
  }
  const bool twice = input.dtype == XLA_FFI_DataType_F64 ||
                     input.dtype == XLA_FFI_DataType_C128;
  const auto axes = static_cast<size_t>(rank);
  twice ? Run<double>(input, output, kind, axes)
        : Run<float>(input, output, kind, axes);
}

}  // namespace

XLA_FFI_Error* FftHandler(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start) return nullptr;  // of our own version
  try {
    Answer(*frame);
    return nullptr;
  } catch (...) {
    return CurrentExceptionAsFfiError();
  }
}

}  // namespace iree_pjrt
