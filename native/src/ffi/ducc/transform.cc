// SPDX-License-Identifier: Apache-2.0
#include "ffi/ducc/transform.h"

#include <complex>
#include <functional>

#include "ducc0/fft/fft.h"

namespace ducc0::detail_threading {
namespace {

// All of the work, on the thread that has it.
class OneThread : public Scheduler {
 public:
  explicit OneThread(size_t work) : rest_{0, work} {}

  size_t num_threads() const override { return 1; }
  size_t thread_num() const override { return 0; }
  Range getNext() override { return std::exchange(rest_, Range()); }

 private:
  Range rest_;
};

}  // namespace

size_t adjust_nthreads(size_t) { return 1; }

void execStatic(size_t work, size_t, size_t,
                std::function<void(Scheduler&)> function) {
  OneThread scheduler(work);
  function(scheduler);
}

void execParallel(size_t, std::function<void(Scheduler&)> function) {
  OneThread scheduler(0);
  function(scheduler);
}

void execParallel(size_t begin, size_t end, size_t,
                  std::function<void(size_t, size_t)> function) {
  function(begin, end);
}

}  // namespace ducc0::detail_threading

namespace iree_pjrt {
namespace {

using Dims = std::vector<size_t>;

// One batch dimension in the place of all, none for a batch of one array: DUCC
// is fastest with as few as possible.
Dims Merged(const Dims& dims, size_t rank) {
  size_t batch = 1;
  for (size_t i = 0; i + rank < dims.size(); ++i) batch *= dims[i];
  Dims merged(dims.end() - static_cast<std::ptrdiff_t>(rank), dims.end());
  if (batch != 1) merged.insert(merged.begin(), batch);
  return merged;
}

Dims LastAxes(size_t dims, size_t rank) {
  Dims axes;
  for (size_t i = dims - rank; i < dims; ++i) axes.push_back(i);
  return axes;
}

template <typename T>
T Inverse(const Dims& lengths, const Dims& axes) {
  double size = 1;
  for (size_t axis : axes) size *= static_cast<double>(lengths[axis]);
  return static_cast<T>(1 / size);
}

}  // namespace

template <typename T>
void Transform(FftKind kind, const FftShape& shape, const void* from,
               void* to) {
  using Complex = std::complex<T>;
  const Dims in = Merged(shape.input, shape.rank);
  const Dims out = Merged(shape.output, shape.rank);
  const Dims axes = LastAxes(in.size(), shape.rank);
  const bool forward = kind == FftKind::kFft || kind == FftKind::kRfft;
  const T factor = forward ? T{1} : Inverse<T>(out, axes);
  if (kind == FftKind::kRfft) {
    const ducc0::cfmav<T> input(static_cast<const T*>(from), in);
    ducc0::vfmav<Complex> output(static_cast<Complex*>(to), out);
    ducc0::r2c(input, output, axes, forward, factor);
  } else if (kind == FftKind::kIrfft) {
    const ducc0::cfmav<Complex> input(static_cast<const Complex*>(from), in);
    ducc0::vfmav<T> output(static_cast<T*>(to), out);
    ducc0::c2r(input, output, axes, forward, factor);
  } else {
    const ducc0::cfmav<Complex> input(static_cast<const Complex*>(from), in);
    ducc0::vfmav<Complex> output(static_cast<Complex*>(to), out);
    ducc0::c2c(input, output, axes, forward, factor);
  }
}

template void Transform<float>(FftKind, const FftShape&, const void*, void*);
template void Transform<double>(FftKind, const FftShape&, const void*, void*);

}  // namespace iree_pjrt
