// SPDX-License-Identifier: Apache-2.0
#include "cpu/float_conversions.h"

#include <bit>
#include <cstdint>

namespace iree_pjrt {
namespace {

struct Format {
  int bits;
  int mantissa;
};
constexpr Format kFloat64{64, 52};
constexpr Format kFloat32{32, 23};
constexpr Format kFloat16{16, 10};
constexpr Format kBfloat16{16, 7};

constexpr int Bias(Format format) {
  return (1 << (format.bits - 2 - format.mantissa)) - 1;
}
constexpr uint64_t Infinity(Format format) {
  return (2 * static_cast<uint64_t>(Bias(format)) + 1) << format.mantissa;
}

// `number` >> `count`, to nearest, ties to even.
constexpr uint64_t ShiftedRight(uint64_t number, int count) {
  const uint64_t odd = (number >> count) & 1;
  return (number + (uint64_t{1} << (count - 1)) - 1 + odd) >> count;
}

// The bits of a number in a format of fewer bits.
constexpr uint16_t Rounded(uint64_t bits, Format from, Format to) {
  const uint64_t size = bits & ((uint64_t{1} << (from.bits - 1)) - 1);
  const auto sign =
      static_cast<uint16_t>((bits >> (from.bits - 1)) << (to.bits - 1));
  const auto with_sign = [&](uint64_t result) {
    return static_cast<uint16_t>(result | sign);
  };
  const int dropped = from.mantissa - to.mantissa;
  if (size > Infinity(from)) {  // quiet, and what is left of its payload
    const uint64_t quiet = uint64_t{1} << (to.mantissa - 1);
    const uint64_t payload = size & ((uint64_t{1} << from.mantissa) - 1);
    return with_sign(Infinity(to) | quiet | (payload >> dropped));
  }
  const int exponent =
      static_cast<int>(size >> from.mantissa) - Bias(from) + Bias(to);
  if (exponent > 0) {
    const uint64_t rebased =
        size - (static_cast<uint64_t>(Bias(from) - Bias(to)) << from.mantissa);
    const uint64_t rounded = ShiftedRight(rebased, dropped);
    return with_sign(rounded < Infinity(to) ? rounded : Infinity(to));
  }
  const int count = dropped + 1 - exponent;
  if (count > from.mantissa + 1) return with_sign(0);
  const bool is_normal = (size >> from.mantissa) != 0;
  const uint64_t leading = uint64_t{is_normal} << from.mantissa;
  const uint64_t digits = size & ((uint64_t{1} << from.mantissa) - 1);
  return with_sign(
      ShiftedRight(digits | leading, is_normal ? count : count - 1));
}

// Numbers of 16 bits are the low half of the register of a float32 (the ABIs of
// x86-64 and AArch64).
float AsLowHalf(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits}); }

float Float32ToBfloat16(float x) {
  return AsLowHalf(Rounded(std::bit_cast<uint32_t>(x), kFloat32, kBfloat16));
}
float Float64ToBfloat16(double x) {
  return AsLowHalf(Rounded(std::bit_cast<uint64_t>(x), kFloat64, kBfloat16));
}
float Float32ToFloat16(float x) {
  return AsLowHalf(Rounded(std::bit_cast<uint32_t>(x), kFloat32, kFloat16));
}
float Float64ToFloat16(double x) {
  return AsLowHalf(Rounded(std::bit_cast<uint64_t>(x), kFloat64, kFloat16));
}

float Float16ToFloat32(float low_half) {
  const uint32_t bits = std::bit_cast<uint32_t>(low_half) & 0xffff;
  const uint32_t size = bits & 0x7fff;
  constexpr uint32_t kBias = Bias(kFloat32) - Bias(kFloat16);
  const uint32_t sign = (bits & 0x8000) << 16;
  uint32_t result = (size << 13) + (kBias << 23);
  if (size >= Infinity(kFloat16)) {
    result = (size << 13) | static_cast<uint32_t>(Infinity(kFloat32));
  } else if (size < 1 << 10) {
    result = std::bit_cast<uint32_t>(static_cast<float>(size) * 0x1p-24F);
  }
  return std::bit_cast<float>(result | sign);
}

struct Conversion {
  std::string_view name;
  void* function;
};

}  // namespace

void* FindFloatConversion(std::string_view name) {
  static const Conversion conversions[] = {
      {"__truncsfbf2", reinterpret_cast<void*>(&Float32ToBfloat16)},
      {"__truncdfbf2", reinterpret_cast<void*>(&Float64ToBfloat16)},
      {"__truncsfhf2", reinterpret_cast<void*>(&Float32ToFloat16)},
      {"__truncdfhf2", reinterpret_cast<void*>(&Float64ToFloat16)},
      {"__extendhfsf2", reinterpret_cast<void*>(&Float16ToFloat32)}};
  for (const Conversion& conversion : conversions) {
    if (conversion.name == name) return conversion.function;
  }
  return nullptr;
}

}  // namespace iree_pjrt
