// SPDX-License-Identifier: Apache-2.0
#include "ffi/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

#include "cpu/crew.h"
#include "ffi/ducc/transform.h"
#include "ffi/frame.h"
#include "ffi/tensors.h"

namespace iree_pjrt {
namespace {

using Complex = std::complex<double>;
using Dims = std::vector<int64_t>;

constexpr FftKind kKinds[] = {FftKind::kFft, FftKind::kIfft, FftKind::kRfft,
                              FftKind::kIrfft};

size_t SizeOf(const Dims& dims) {
  return static_cast<size_t>(std::accumulate(dims.begin(), dims.end(),
                                             int64_t{1}, std::multiplies<>()));
}

Dims Halved(Dims dims) {
  dims.back() = dims.back() / 2 + 1;
  return dims;
}

// An array on its way through the definition; real numbers have no imaginary
// parts.
struct Array {
  Dims dims;
  std::vector<Complex> values;
};

// The lines along `axis` by the definition, with angles reduced before they are
// rounded.
Array TransformAxis(const Array& array, size_t axis, int sign) {
  const auto length = static_cast<size_t>(array.dims[axis]);
  size_t stride = 1;
  for (size_t i = axis + 1; i < array.dims.size(); ++i) {
    stride *= static_cast<size_t>(array.dims[i]);
  }
  std::vector<Complex> roots;
  for (size_t k = 0; k < length; ++k) {
    roots.push_back(
        std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) /
                            static_cast<double>(length)));
  }
  Array out{array.dims, std::vector<Complex>(array.values.size())};
  for (size_t i = 0; i < array.values.size(); ++i) {
    const size_t k = i / stride % length;
    const size_t first = i - k * stride;
    for (size_t j = 0; j < length; ++j) {
      out.values[i] += array.values[first + j * stride] * roots[j * k % length];
    }
  }
  return out;
}

// Lines of another length along the last dimension, whose elements `value`
// makes of the line that was there and of their place.
Array OfLines(const Array& array, int64_t length,
              const std::function<Complex(const Complex*, size_t)>& value) {
  Array out{array.dims, {}};
  out.dims.back() = length;
  const auto had = static_cast<size_t>(array.dims.back());
  const auto wanted = static_cast<size_t>(length);
  for (size_t begin = 0; begin < array.values.size(); begin += had) {
    for (size_t k = 0; k < wanted; ++k) {
      out.values.push_back(value(&array.values[begin], k));
    }
  }
  return out;
}

Array Cut(const Array& array, int64_t length) {
  return OfLines(array, length,
                 [](const Complex* line, size_t k) { return line[k]; });
}

// All coefficients of a real signal: those beyond the middle follow from the
// others, and of those that are their own images only the real part counts.
Array Mirrored(const Array& array, int64_t length) {
  const auto had = static_cast<size_t>(array.dims.back());
  const auto wanted = static_cast<size_t>(length);
  return OfLines(array, length, [=](const Complex* line, size_t k) -> Complex {
    const size_t image = (wanted - k) % wanted;
    const Complex value = k < had ? line[k] : std::conj(line[image]);
    return k == image ? value.real() : value;
  });
}

std::vector<Complex> ByDefinition(FftKind kind, Array array, size_t rank,
                                  const Dims& out) {
  const bool inverse = kind == FftKind::kIfft || kind == FftKind::kIrfft;
  const size_t last = array.dims.size() - 1;
  const int sign = inverse ? 1 : -1;
  for (size_t axis = last + 1 - rank; axis < last; ++axis) {
    array = TransformAxis(array, axis, sign);
  }
  if (kind == FftKind::kIrfft) array = Mirrored(array, out.back());
  array = TransformAxis(array, last, sign);
  if (kind == FftKind::kRfft) array = Cut(array, out.back());
  if (!inverse) return array.values;
  double size = 1;
  for (size_t axis = last + 1 - rank; axis <= last; ++axis) {
    size *= static_cast<double>(out[axis]);
  }
  for (Complex& value : array.values) value /= size;
  return array.values;
}

template <typename T>
ForeignTensor Tensor(bool complex, const Dims& dims) {
  const bool twice = sizeof(T) == 8;
  const auto type = complex
                        ? (twice ? PJRT_Buffer_Type_C128 : PJRT_Buffer_Type_C64)
                        : (twice ? PJRT_Buffer_Type_F64 : PJRT_Buffer_Type_F32);
  return RowMajor(type, dims);
}

// `dims` are those of the signal: its transform has fewer if it is real.
template <typename T>
ForeignCall CallOf(FftKind kind, const Dims& dims, size_t rank) {
  ForeignCall call;
  call.target = kFftTarget;
  const bool from_real = kind == FftKind::kRfft;
  const bool to_real = kind == FftKind::kIrfft;
  call.operands = {Tensor<T>(!from_real, to_real ? Halved(dims) : dims)};
  call.results = {Tensor<T>(!to_real, from_real ? Halved(dims) : dims)};
  call.aliases = {-1};
  call.attributes = {
      {"kind", ForeignAttribute::OfInt32(static_cast<int32_t>(kind))},
      {"rank", ForeignAttribute::OfInt32(static_cast<int32_t>(rank))}};
  return call;
}

// What a call is given, and what it says.
template <typename T>
struct Answered {
  explicit Answered(const ForeignCall& call)
      : from(call.operands[0].shape.byte_size() / sizeof(T)),
        to(call.results[0].shape.byte_size() / sizeof(T), T{-7}) {
    std::mt19937 generator(static_cast<unsigned>(from.size()));
    std::normal_distribution<double> normal;
    for (T& number : from) number = static_cast<T>(normal(generator));
    BoundCall(call).Run({from.data()}, {to.data()});
  }

  std::vector<T> from;
  std::vector<T> to;
};

template <typename T>
std::vector<Complex> Values(const std::vector<T>& numbers, bool complex) {
  std::vector<Complex> values;
  for (size_t i = 0; i < numbers.size(); i += complex ? 2 : 1) {
    values.emplace_back(numbers[i], complex ? numbers[i + 1] : T{0});
  }
  return values;
}

// The largest distance, in units of the last place of the largest number.
template <typename T>
double Distance(const std::vector<Complex>& got,
                const std::vector<Complex>& want) {
  EXPECT_EQ(got.size(), want.size());
  double most = 0;
  double largest = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    most = std::max(most, std::abs(got[i] - want[i]));
    largest = std::max(largest, std::abs(want[i]));
    if (!std::isfinite(std::abs(got[i]))) return HUGE_VAL;
  }
  return most / largest /
         static_cast<double>(std::numeric_limits<T>::epsilon());
}

template <typename T>
void ExpectDefinition(FftKind kind, const Dims& dims, size_t rank) {
  const ForeignCall call = CallOf<T>(kind, dims, rank);
  const Answered<T> run(call);
  const Array input{call.operands[0].shape.dims,
                    Values(run.from, kind != FftKind::kRfft)};
  const auto got = Values(run.to, kind != FftKind::kIrfft);
  const auto want = ByDefinition(kind, input, rank, call.results[0].shape.dims);
  EXPECT_LT(Distance<T>(got, want), 30)
      << "kind " << static_cast<int>(kind) << ", " << sizeof(T) << " bytes, "
      << testing::PrintToString(dims) << ", rank " << rank;
}

void ExpectDefinitions(const Dims& dims, size_t rank) {
  for (FftKind kind : kKinds) {
    ExpectDefinition<float>(kind, dims, rank);
    ExpectDefinition<double>(kind, dims, rank);
  }
}

TEST(FftTest, EqualsTheDefinitionAtEveryLength) {
  for (int64_t n = 1; n <= 140; ++n) ExpectDefinitions({n}, 1);
  for (int64_t n : {251, 256, 625, 997, 1000, 1024, 1331}) {
    ExpectDefinitions({n}, 1);
  }
}

template <typename T>
void ExpectTheSameOnAnyProcessor(size_t length) {
  const ForeignCall call =
      CallOf<T>(FftKind::kFft, {static_cast<int64_t>(length)}, 1);
  const Answered<T> run(call);
  std::vector<T> to(run.to.size());
  baseline::Transform<T>(FftKind::kFft, {{length}, {length}, 1},
                         run.from.data(), to.data());
  EXPECT_LT(Distance<T>(Values(to, true), Values(run.to, true)), 30) << length;
}

TEST(FftTest, EveryLevelOfTheProcessorGivesTheSame) {
  for (size_t length : {5, 60, 997, 1024, 8192, 16384}) {
    ExpectTheSameOnAnyProcessor<float>(length);
    ExpectTheSameOnAnyProcessor<double>(length);
  }
}

TEST(FftTest, Batches) {
  for (int64_t n : {1, 2, 3, 16, 31, 60, 250}) {
    // Vectors of lines, and what is left of them.
    for (int64_t batch : {2, 3, 4, 5, 7, 9, 17}) {
      ExpectDefinitions({batch, n}, 1);
    }
    ExpectDefinitions({2, 3, 1, n}, 1);
  }
}

TEST(FftTest, SeveralDimensions) {
  for (const Dims& dims : {Dims{1, 1},
                           {1, 6},
                           {6, 1},
                           {5, 7},
                           {16, 16},
                           {64, 33},
                           {3, 8, 9},
                           {4, 1, 5}}) {
    ExpectDefinitions(dims, 2);
  }
  for (const Dims& dims : {Dims{1, 1, 1},
                           {2, 3, 4},
                           {5, 1, 8},
                           {8, 9, 10},
                           {2, 3, 4, 5},
                           {3, 2, 4, 4, 5}}) {
    ExpectDefinitions(dims, 3);
  }
}

// Of transforms that are shared between threads, which are too large for the
// definition.
template <typename T>
void ExpectSameOnThreads(FftKind kind, const Dims& dims, size_t rank) {
  const ForeignCall call = CallOf<T>(kind, dims, rank);
  const auto on = [&](size_t threads) {
    Crew::Get().set_threads(threads);
    const auto values = Values(Answered<T>(call).to, kind != FftKind::kIrfft);
    Crew::Get().set_threads(1);
    return values;
  };
  EXPECT_LT(Distance<T>(on(3), on(1)), 10)
      << static_cast<int>(kind) << testing::PrintToString(dims);
}

TEST(FftTest, ThreadsShareLargeOnes) {
  for (FftKind kind : kKinds) {
    for (const Dims& dims : {Dims{100'000}, {65'536}, {100'003}}) {
      ExpectSameOnThreads<float>(kind, dims, 1);
      ExpectSameOnThreads<double>(kind, dims, 1);
    }
    ExpectSameOnThreads<float>(kind, {1001, 250}, 1);
    ExpectSameOnThreads<float>(kind, {3, 40'000}, 1);
    ExpectSameOnThreads<double>(kind, {256, 255}, 2);
    ExpectSameOnThreads<float>(kind, {2, 40, 30, 50}, 3);
  }
}

TEST(FftTest, LargeOnesTakeSingleCoefficientsFromEverywhere) {
  constexpr size_t kSize = 100'000;
  const ForeignCall call = CallOf<float>(FftKind::kFft, {kSize}, 1);
  const Answered<float> run(call);
  const auto from = Values(run.from, true);
  const auto got = Values(run.to, true);
  for (size_t k : {size_t{0}, size_t{1}, size_t{777}, kSize / 2, kSize - 1}) {
    Complex want;
    for (size_t j = 0; j < kSize; ++j) {
      want += from[j] * std::polar(1.0, -2 * std::numbers::pi *
                                            static_cast<double>(j * k % kSize) /
                                            static_cast<double>(kSize));
    }
    EXPECT_LT(std::abs(got[k] - want), 1e-3) << k;
  }
}

TEST(FftTest, EmptyArrays) {
  for (FftKind kind : kKinds) {
    EXPECT_NO_THROW((Answered<float>(CallOf<float>(kind, {0, 5}, 1))));
    EXPECT_NO_THROW((Answered<float>(CallOf<float>(kind, {3, 0, 5}, 2))));
  }
}

TEST(FftTest, DamagedCallsAreRefused) {
  const auto expect_refused = [](const ForeignCall& call) {
    EXPECT_THROW((Answered<double>(call)), Error);
  };
  for (FftKind kind : kKinds) {
    const ForeignCall whole = CallOf<float>(kind, {4, 6}, 1);
    for (int32_t number : {-1, 4}) {
      ForeignCall call = whole;
      call.attributes["kind"] = ForeignAttribute::OfInt32(number);
      expect_refused(call);
    }
    for (int32_t number : {-1, 0, 3}) {
      ForeignCall call = whole;
      call.attributes["rank"] = ForeignAttribute::OfInt32(number);
      expect_refused(call);
    }
    ForeignCall call = whole;
    call.results = CallOf<float>(kind, {4, 8}, 1).results;
    expect_refused(call);
    call.results = CallOf<float>(kind, {5, 6}, 1).results;
    expect_refused(call);
    call.results = CallOf<float>(kind, {2, 2, 6}, 1).results;
    expect_refused(call);
    call.results = CallOf<double>(kind, {4, 6}, 1).results;
    expect_refused(call);
    call.results = call.operands;
    if (kind == FftKind::kRfft || kind == FftKind::kIrfft) expect_refused(call);
  }
}

}  // namespace
}  // namespace iree_pjrt
