// SPDX-License-Identifier: Apache-2.0
#include "ffi/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace iree_pjrt {
namespace {

using Complex = Fft::Complex;

std::vector<Complex> Noise(size_t size) {
  std::mt19937 generator(static_cast<unsigned>(size));
  std::normal_distribution<double> normal;
  std::vector<Complex> values(size);
  for (Complex& value : values) value = {normal(generator), normal(generator)};
  return values;
}

// By the definition, with angles reduced before they are rounded.
std::vector<Complex> Naive(const std::vector<Complex>& in) {
  const size_t n = in.size();
  std::vector<Complex> out(n);
  for (size_t k = 0; k < n; ++k) {
    for (size_t j = 0; j < n; ++j) {
      const double angle = -2 * std::numbers::pi *
                           static_cast<double>(j * k % n) /
                           static_cast<double>(n);
      out[k] += in[j] * std::polar(1.0, angle);
    }
  }
  return out;
}

double Distance(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

TEST(FftTest, EqualsTheDefinitionAtEveryLength) {
  for (size_t n = 1; n <= 200; ++n) {
    const auto in = Noise(n);
    auto out = in;
    const Fft fft(n);
    fft.Forward(out.data());
    EXPECT_LT(Distance(out, Naive(in)), 1e-11) << n;
    fft.Inverse(out.data());
    EXPECT_LT(Distance(out, in), 1e-12) << n;
  }
}

TEST(FftTest, LargeLengths) {
  for (size_t n : {1024u, 1009u, 2 * 997u, 1536u}) {
    const auto in = Noise(n);
    auto out = in;
    Fft(n).Forward(out.data());
    EXPECT_LT(Distance(out, Naive(in)), 1e-9) << n;
  }
}

}  // namespace
}  // namespace iree_pjrt
