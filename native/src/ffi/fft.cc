// SPDX-License-Identifier: Apache-2.0
#include "ffi/fft.h"

#include <array>
#include <cmath>
#include <numbers>

namespace iree_pjrt {
namespace {

using Complex = Fft::Complex;

// Above this, a prime factor costs more than a convolution does.
constexpr size_t kLargestFactor = 31;

// exp(-2 pi i k / n), exact at the eighths of the circle.
Complex Root(size_t k, size_t n) {
  const double angle = -2 * std::numbers::pi * static_cast<double>(k % n) /
                       static_cast<double>(n);
  if (4 * k == n) return {0, -1};
  if (2 * k == n) return {-1, 0};
  if (4 * k == 3 * n) return {0, 1};
  return {std::cos(angle), std::sin(angle)};
}

// Without C's rules for infinite parts, which take several times as long: where
// there is one, the whole transform is NaN or infinite anyway.
Complex Times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

std::vector<size_t> Factors(size_t n) {
  std::vector<size_t> factors;
  for (size_t p : {4, 2, 3}) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  for (size_t p = 5; p * p <= n; p += 2) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

}  // namespace

// exp(-pi i k^2 / n), and the transform of its conjugate, wrapped around.
struct Fft::Chirp {
  explicit Chirp(size_t n) : fft(PaddedSize(n)) {
    values.resize(n);
    kernel.resize(fft.size());
    for (size_t k = 0; k < n; ++k) {
      values[k] = Root(k * k % (2 * n), 2 * n);
      kernel[k] = std::conj(values[k]);
      if (k) kernel[fft.size() - k] = kernel[k];
    }
    fft.Forward(kernel.data());
  }

  static size_t PaddedSize(size_t n) {
    size_t size = 1;
    while (size < 2 * n - 1) size *= 2;
    return size;
  }

  const Fft fft;
  std::vector<Complex> values;
  std::vector<Complex> kernel;
};

Fft::Fft(size_t size) : size_(size), factors_(Factors(size)) {
  for (size_t factor : factors_) {
    if (factor > kLargestFactor) {
      chirp_ = std::make_unique<const Chirp>(size);
      return;
    }
  }
  roots_.reserve(size);
  for (size_t k = 0; k < size; ++k) roots_.push_back(Root(k, size));
}

Fft::~Fft() = default;

void Fft::Forward(Complex* line) const {
  if (chirp_) return Convolve(line);
  const std::vector<Complex> copy(line, line + size_);
  Split(copy.data(), line, size_, 1, 0);
}

void Fft::Inverse(Complex* line) const {
  for (size_t i = 0; i < size_; ++i) line[i] = std::conj(line[i]);
  Forward(line);
  const double scale = 1 / static_cast<double>(size_);
  for (size_t i = 0; i < size_; ++i) line[i] = std::conj(line[i]) * scale;
}

// Transforms `size` numbers, each `stride` apart, by decimation in time.
void Fft::Split(const Complex* from, Complex* to, size_t size, size_t stride,
                size_t factor) const {
  if (size == 1) {
    *to = *from;
    return;
  }
  const size_t parts = factors_[factor];
  const size_t rest = size / parts;
  for (size_t r = 0; r < parts; ++r) {
    Split(from + r * stride, to + r * rest, rest, stride * parts, factor + 1);
  }
  // Root k of `size` is root k * stride of the whole.
  std::array<Complex, kLargestFactor> column;
  for (size_t k = 0; k < rest; ++k) {
    column[0] = to[k];
    for (size_t r = 1; r < parts; ++r) {
      column[r] = Times(to[r * rest + k], roots_[r * k * stride]);
    }
    if (parts == 2) {
      to[k] = column[0] + column[1];
      to[rest + k] = column[0] - column[1];
    } else if (parts == 4) {
      const Complex even = column[0] + column[2];
      const Complex odd = column[1] + column[3];
      const Complex left = column[0] - column[2];
      const Complex turned = column[1] - column[3];
      const Complex right(turned.imag(), -turned.real());
      to[k] = even + odd;
      to[rest + k] = left + right;
      to[2 * rest + k] = even - odd;
      to[3 * rest + k] = left - right;
    } else {
      for (size_t q = 0; q < parts; ++q) {
        Complex sum = column[0];
        size_t turn = 0;  // r * q, modulo `parts`
        for (size_t r = 1; r < parts; ++r) {
          turn += q;
          if (turn >= parts) turn -= parts;
          sum += Times(column[r], roots_[turn * rest * stride]);
        }
        to[q * rest + k] = sum;
      }
    }
  }
}

void Fft::Convolve(Complex* line) const {
  std::vector<Complex> padded(chirp_->fft.size());
  for (size_t k = 0; k < size_; ++k) {
    padded[k] = Times(line[k], chirp_->values[k]);
  }
  chirp_->fft.Forward(padded.data());
  for (size_t k = 0; k < padded.size(); ++k) {
    padded[k] = Times(padded[k], chirp_->kernel[k]);
  }
  chirp_->fft.Inverse(padded.data());
  for (size_t k = 0; k < size_; ++k) {
    line[k] = Times(padded[k], chirp_->values[k]);
  }
}

}  // namespace iree_pjrt
