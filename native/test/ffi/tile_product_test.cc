// SPDX-License-Identifier: Apache-2.0
#include "ffi/tile_product.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "base/status.h"
#include "cpu/crew.h"
#include "ffi/frame.h"
#include "ffi/tensors.h"

namespace iree_pjrt {
namespace {

// Memory aligned to 64 bytes.
class Scratch {
 public:
  explicit Scratch(size_t size) : bytes_(size + 64) {}
  void* data() {
    const auto address = reinterpret_cast<uintptr_t>(bytes_.data());
    return bytes_.data() + (64 - address % 64);
  }

 private:
  std::vector<char> bytes_;
};

struct ProductShape {
  size_t batch, rows, columns, depth;
};

// Whole tiles, parts of them, one line, less than a group, several threads.
constexpr ProductShape kShapes[] = {
    {1, 32, 32, 64},  {2, 33, 31, 65},   {1, 1, 1, 1},     {3, 17, 50, 130},
    {1, 16, 1, 3},    {1, 1, 40, 2},     {2, 64, 96, 256}, {1, 100, 7, 127},
    {1, 31, 200, 31}, {1, 256, 257, 63}, {5, 130, 64, 70}};

// Ways to compute: those that the processor has.
std::vector<bool> Ways() {
  return HasTiles() ? std::vector<bool>{false, true} : std::vector<bool>{false};
}

float FloatOf(int8_t number) { return number; }
float FloatOf(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

void Randomize(std::vector<int8_t>& numbers) {
  std::mt19937 random(7);
  for (int8_t& number : numbers) number = static_cast<int8_t>(random());
}

// Of -4 to 4, without digits that are lost.
void Randomize(std::vector<uint16_t>& numbers) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(-4, 4);
  for (uint16_t& number : numbers) {
    number = static_cast<uint16_t>(std::bit_cast<uint32_t>(any(random)) >> 16);
  }
}

// A factor in either order, and its element of a line.
template <typename Element>
struct Lines {
  Lines(size_t batch, size_t lines, size_t depth, bool turned)
      : numbers(batch * lines * depth),
        of{numbers.data(), lines, turned ? lines : 1, turned ? 1 : depth},
        size(lines * depth) {
    Randomize(numbers);
  }
  double At(size_t b, size_t line, size_t k) const {
    return FloatOf(numbers[b * size + line * of.across + k * of.along]);
  }

  std::vector<Element> numbers;
  LinesOfProduct of;
  size_t size;
};

template <typename Element, typename Result>
void ExpectProducts(void (TileProduct::*multiply)(bool) const, double error) {
  for (const auto& [batch, rows, columns, depth] : kShapes) {
    for (int order = 0; order < 4; ++order) {
      const Lines<Element> lhs(batch, rows, depth, order & 1);
      const Lines<Element> rhs(batch, columns, depth, order & 2);
      for (const bool with_tiles : Ways()) {
        // One number more, which nothing may be written to.
        std::vector<Result> got(batch * rows * columns + 1, 77);
        Scratch scratch(TileProduct::ScratchBytes(batch, rows, columns, depth,
                                                  sizeof(Element)));
        (TileProduct{lhs.of, rhs.of, batch, depth, got.data(), scratch.data()}.*
         multiply)(with_tiles);
        EXPECT_EQ(got.back(), 77);
        for (size_t i = 0; i + 1 < got.size(); ++i) {
          double want = 0;
          for (size_t k = 0; k < depth; ++k) {
            want += lhs.At(i / columns / rows, i / columns % rows, k) *
                    rhs.At(i / columns / rows, i % columns, k);
          }
          ASSERT_NEAR(got[i], want, error * std::sqrt(depth))
              << rows << " x " << columns << " x " << depth << ", element " << i
              << ", order " << order << ", tiles " << with_tiles;
        }
      }
    }
  }
}

TEST(TileProductTest, OfBytesAsByDefinition) {
  for (const size_t threads : {1, 4}) {
    Crew::Get().set_threads(threads);
    ExpectProducts<int8_t, int32_t>(&TileProduct::OfBytes, 0);
  }
}

TEST(TileProductTest, OfBfloat16AsByDefinition) {
  ExpectProducts<uint16_t, float>(&TileProduct::OfBfloat16, 1e-4);
}

TEST(TileProductTest, SumsOfTheLargestBytesAreExact) {
  constexpr size_t kDepth = 1 << 17;
  const std::vector<int8_t> least(kDepth, -128);
  const LinesOfProduct lines{least.data(), 1, 1, kDepth};
  for (const bool with_tiles : Ways()) {
    int32_t got = 0;
    Scratch scratch(TileProduct::ScratchBytes(1, 1, 1, kDepth, 1));
    TileProduct{lines, lines, 1, kDepth, &got, scratch.data()}.OfBytes(
        with_tiles);
    // 2^14 * 2^17 wraps around.
    EXPECT_EQ(got, std::numeric_limits<int32_t>::min());
  }
}

// int8: 2 x 3 rows x 40 by 2 x 40 x 5 columns.
ForeignCall ProductCall() {
  ForeignCall call;
  call.target = kTileProductTarget;
  call.operands = {RowMajor(PJRT_Buffer_Type_S8, {2, 3, 40}),
                   RowMajor(PJRT_Buffer_Type_S8, {2, 40, 5})};
  const auto scratch =
      static_cast<int64_t>(TileProduct::ScratchBytes(2, 3, 5, 40, 1));
  call.results = {RowMajor(PJRT_Buffer_Type_S32, {2, 3, 5}),
                  RowMajor(PJRT_Buffer_Type_S8, {scratch})};
  call.aliases = {-1, -1};
  call.attributes = {{"lhs_turned", ForeignAttribute::OfInt32(0)},
                     {"rhs_turned", ForeignAttribute::OfInt32(1)}};
  return call;
}

TEST(TileProductTest, TheHandlerTakesBothOrders) {
  std::vector<int8_t> lhs(2 * 3 * 40, 2);
  std::vector<int8_t> rhs(2 * 40 * 5, -3);
  std::vector<int32_t> got(2 * 3 * 5);
  Scratch scratch(1 << 16);
  const auto run = [&](const ForeignCall& call) {
    got.assign(got.size(), 0);
    BoundCall(call).Run({lhs.data(), rhs.data()}, {got.data(), scratch.data()});
    EXPECT_EQ(got, std::vector<int32_t>(got.size(), -240));
  };
  run(ProductCall());
  ForeignCall call = ProductCall();
  call.operands[1] = RowMajor(PJRT_Buffer_Type_S8, {2, 5, 40});
  call.attributes["rhs_turned"] = ForeignAttribute::OfInt32(0);
  run(call);
}

TEST(TileProductTest, DamagedCallsAreRefused) {
  std::vector<int8_t> numbers(1000);
  std::vector<int32_t> got(1000);
  Scratch scratch(1 << 16);
  const auto refused = [&](void (*damage)(ForeignCall&)) {
    ForeignCall call = ProductCall();
    damage(call);
    call.aliases.assign(call.results.size(), -1);
    EXPECT_THROW(BoundCall(call).Run({numbers.data(), numbers.data()},
                                     {got.data(), scratch.data()}),
                 Error);
  };
  refused([](ForeignCall& call) { call.attributes.erase("lhs_turned"); });
  refused([](ForeignCall& call) {
    call.attributes["lhs_turned"] = ForeignAttribute::OfInt32(2);
  });
  refused([](ForeignCall& call) {
    call.operands[0] = RowMajor(PJRT_Buffer_Type_S8, {2, 3, 39});
  });
  refused([](ForeignCall& call) {
    call.operands[0] = RowMajor(PJRT_Buffer_Type_S8, {1, 3, 40});
  });
  refused([](ForeignCall& call) {
    call.operands[0] = RowMajor(PJRT_Buffer_Type_S8, {3, 40});
  });
  refused([](ForeignCall& call) {
    call.operands[0] = RowMajor(PJRT_Buffer_Type_BF16, {2, 3, 40});
  });
  refused([](ForeignCall& call) {
    call.results[0] = RowMajor(PJRT_Buffer_Type_F32, {2, 3, 5});
  });
  refused([](ForeignCall& call) {
    call.results[0] = RowMajor(PJRT_Buffer_Type_S32, {2, 5, 3});
  });
  refused([](ForeignCall& call) { call.results.pop_back(); });
  refused([](ForeignCall& call) {
    call.results[1] = RowMajor(PJRT_Buffer_Type_S8, {64});
  });
  refused([](ForeignCall& call) {
    call.operands = {RowMajor(PJRT_Buffer_Type_S8, {2, 3, 0}),
                     RowMajor(PJRT_Buffer_Type_S8, {2, 0, 5})};
  });
}

}  // namespace
}  // namespace iree_pjrt
