// SPDX-License-Identifier: Apache-2.0
#include "ffi/ducc/transform.h"

#include <algorithm>
#include <complex>
#include <functional>
#include <utility>

#include "ducc0/fft/fftnd_impl.h"
#include "ducc0/infra/mav.cc"
#include "ffi/ducc/kept_plans.h"
#include "runtime/share_work.h"

namespace {

// Fewer numbers take less time than calling another thread does.
constexpr size_t kShareFrom = 1 << 13;

// Of the work that is shared next. The steps of equal transforms have equal
// numbers: how long they take is remembered by it.
thread_local uint64_t next_kind = 0;

}  // namespace

namespace DUCC0_NAMESPACE::detail_threading {
namespace {

using Function = std::function<void(Scheduler&)>;

// Part `number` of `count` equal ones.
class Part : public Scheduler {
 public:
  Part(size_t work, size_t number, size_t count)
      : number_(number), count_(count) {
    std::tie(rest_.lo, rest_.hi) = calcShare(count, number, work);
  }

  size_t num_threads() const override { return count_; }
  size_t thread_num() const override { return number_; }
  Range getNext() override { return std::exchange(rest_, Range()); }

 private:
  const size_t number_;
  const size_t count_;
  Range rest_;
};

// `work` in `count` parts, of which each thread takes some.
void Share(size_t work, size_t count, const Function& function) {
  const auto run = [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      Part part(work, i, count);
      function(part);
    }
  };
  if (count == 1) return run(0, 1);
  iree_pjrt::ShareThrowingWork(next_kind++, count, run);
}

}  // namespace

size_t adjust_nthreads(size_t wanted) { return wanted; }

void execStatic(size_t work, size_t threads, size_t, Function function) {
  Share(work, std::clamp<size_t>(work, 1, threads), function);
}

void execParallel(size_t threads, Function function) {
  Share(0, threads, function);
}

void execParallel(size_t begin, size_t end, size_t,
                  std::function<void(size_t, size_t)> function) {
  function(begin, end);
}

}  // namespace DUCC0_NAMESPACE::detail_threading

namespace DUCC0_NAMESPACE::detail_fft {
namespace {  // DUCC's own has get_plan

// DUCC itself keeps no plan of more than 1 MiB: of a long line of prime length
// it would make one for each transform, which takes longer than the transform.
template <typename Plan>
std::shared_ptr<Plan> Kept(size_t length, bool vectorize) {
  static iree_pjrt::KeptPlans<Plan> plans(size_t{64} << 20);
  return plans.Get(length, vectorize);
}

template <>
std::shared_ptr<pocketfft_c<float>> get_plan(size_t length, bool vectorize) {
  return Kept<pocketfft_c<float>>(length, vectorize);
}
template <>
std::shared_ptr<pocketfft_c<double>> get_plan(size_t length, bool vectorize) {
  return Kept<pocketfft_c<double>>(length, vectorize);
}
template <>
std::shared_ptr<pocketfft_r<float>> get_plan(size_t length, bool vectorize) {
  return Kept<pocketfft_r<float>>(length, vectorize);
}
template <>
std::shared_ptr<pocketfft_r<double>> get_plan(size_t length, bool vectorize) {
  return Kept<pocketfft_r<double>>(length, vectorize);
}

}  // namespace
}  // namespace DUCC0_NAMESPACE::detail_fft

// A level of transform.h, as the build says; DUCC's own namespace has its name.
namespace iree_pjrt::IREE_PJRT_DUCC_LEVEL {
namespace {

namespace ducc = DUCC0_NAMESPACE;
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

// Into how many parts DUCC may split a transform.
size_t PartsOf(const Dims& dims) {
  size_t size = 1;
  uint64_t kind = 0;
  for (size_t dim : dims) {
    size *= dim;
    kind = (kind + dim) * 0x9e37'79b9'7f4a'7c15;
  }
  if (size < kShareFrom) return 1;
  next_kind = kind;
  return PartsForThreads();
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
  const size_t parts = PartsOf(kind == FftKind::kRfft ? in : out);
  const T factor = forward ? T{1} : Inverse<T>(out, axes);
  if (kind == FftKind::kRfft) {
    const ducc::cfmav<T> input(static_cast<const T*>(from), in);
    ducc::vfmav<Complex> output(static_cast<Complex*>(to), out);
    ducc::r2c(input, output, axes, forward, factor, parts);
  } else if (kind == FftKind::kIrfft) {
    const ducc::cfmav<Complex> input(static_cast<const Complex*>(from), in);
    ducc::vfmav<T> output(static_cast<T*>(to), out);
    ducc::c2r(input, output, axes, forward, factor, parts);
  } else {
    const ducc::cfmav<Complex> input(static_cast<const Complex*>(from), in);
    ducc::vfmav<Complex> output(static_cast<Complex*>(to), out);
    ducc::c2c(input, output, axes, forward, factor, parts);
  }
}

template void Transform<float>(FftKind, const FftShape&, const void*, void*);
template void Transform<double>(FftKind, const FftShape&, const void*, void*);

}  // namespace iree_pjrt::IREE_PJRT_DUCC_LEVEL
