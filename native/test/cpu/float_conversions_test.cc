// SPDX-License-Identifier: Apache-2.0
#include "cpu/float_conversions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace iree_pjrt {
namespace {

template <typename From>
uint16_t Bits(const char* name, From x) {
  const auto convert =
      reinterpret_cast<float (*)(From)>(FindFloatConversion(name));
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(convert(x)));
}

float WideFloat16(uint16_t bits) {
  const auto convert =
      reinterpret_cast<float (*)(float)>(FindFloatConversion("__extendhfsf2"));
  return convert(std::bit_cast<float>(uint32_t{bits}));
}

float WideBfloat16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// Between each two neighbours the middle goes to the even one, and what is
// beside it to the nearer one.
template <typename From>
void ExpectNearest(const char* name, float (*widen)(uint16_t),
                   uint16_t infinity) {
  constexpr From kEnd = std::numeric_limits<From>::infinity();
  for (uint32_t sign : {0U, 0x8000U}) {
    for (uint16_t bits = 0; bits + 1 < infinity; ++bits) {
      const auto low = static_cast<uint16_t>(bits | sign);
      const auto high = static_cast<uint16_t>((bits + 1) | sign);
      const From a = widen(low);
      const From b = widen(high);
      const From middle = a + (b - a) / 2;
      ASSERT_EQ(Bits<From>(name, a), low);
      ASSERT_EQ(Bits<From>(name, middle), bits % 2 ? high : low) << middle;
      const From toward = sign ? -kEnd : kEnd;
      ASSERT_EQ(Bits<From>(name, std::nextafter(middle, toward)), high);
      ASSERT_EQ(Bits<From>(name, std::nextafter(middle, -toward)), low);
    }
  }
  EXPECT_EQ(Bits<From>(name, kEnd), infinity);
  EXPECT_EQ(Bits<From>(name, -kEnd), infinity | 0x8000);
  EXPECT_EQ(Bits<From>(name, std::numeric_limits<From>::max()), infinity);
  EXPECT_EQ(Bits<From>(name, std::numeric_limits<From>::denorm_min()), 0);
  EXPECT_GT(Bits<From>(name, std::numeric_limits<From>::quiet_NaN()) & 0x7fff,
            infinity);
}

TEST(FloatConversionsTest, ToTheNearestBfloat16) {
  ExpectNearest<float>("__truncsfbf2", &WideBfloat16, 0x7f80);
  ExpectNearest<double>("__truncdfbf2", &WideBfloat16, 0x7f80);
}

TEST(FloatConversionsTest, ToTheNearestFloat16) {
  ExpectNearest<float>("__truncsfhf2", &WideFloat16, 0x7c00);
  ExpectNearest<double>("__truncdfhf2", &WideFloat16, 0x7c00);
}

TEST(FloatConversionsTest, Float16AsFloat32) {
  EXPECT_EQ(WideFloat16(0x3c00), 1.0F);
  EXPECT_EQ(WideFloat16(0xc000), -2.0F);
  EXPECT_EQ(WideFloat16(0x0001), 0x1p-24F);
  EXPECT_EQ(WideFloat16(0x7bff), 65504.0F);
  EXPECT_TRUE(std::isinf(WideFloat16(0xfc00)));
  EXPECT_TRUE(std::isnan(WideFloat16(0x7e00)));
  EXPECT_TRUE(std::signbit(WideFloat16(0x8000)));
}

TEST(FloatConversionsTest, OtherNamesAreNotKnown) {
  EXPECT_EQ(FindFloatConversion("__truncxfhf2"), nullptr);
}

}  // namespace
}  // namespace iree_pjrt
