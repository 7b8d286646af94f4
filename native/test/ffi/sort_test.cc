// SPDX-License-Identifier: Apache-2.0
#include "ffi/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "ffi/frame.h"
#include "ffi/tensors.h"

namespace iree_pjrt {
namespace {

constexpr size_t kSizes[] = {1,   2,   3,   17,   63,   64,   65,
                             191, 192, 193, 1000, 4099, 70001};

// The places by std::stable_sort.
std::vector<uint32_t> Sorted(const std::vector<KeyLine>& keys) {
  std::vector<uint32_t> order(keys[0].size());
  std::iota(order.begin(), order.end(), 0U);
  const auto at = [](const KeyLine& key, uint32_t i) {
    return key.wide.empty() ? key.narrow[i] : key.wide[i];
  };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    for (const KeyLine& key : keys) {
      if (at(key, a) != at(key, b)) return at(key, a) < at(key, b);
    }
    return false;
  });
  return order;
}

// Numbers below `most`, so that there are ties.
KeyLine Noise(size_t size, uint64_t most, bool wide, unsigned seed) {
  std::mt19937_64 generator(seed);
  KeyLine line;
  for (size_t i = 0; i < size; ++i) {
    const uint64_t number = generator() % most;
    wide ? line.wide.push_back(number)
         : line.narrow.push_back(static_cast<uint32_t>(number));
  }
  return line;
}

void ExpectWindow(const std::vector<KeyLine>& keys, size_t begin, size_t end) {
  const std::vector<uint32_t> want = Sorted(keys);
  LineSorter sorter(want.size(), begin, end);
  for (int again = 0; again < 2; ++again) {
    const std::vector<uint32_t>& got = sorter.Sort(keys);
    EXPECT_TRUE(std::equal(want.begin() + static_cast<std::ptrdiff_t>(begin),
                           want.begin() + static_cast<std::ptrdiff_t>(end),
                           got.begin() + static_cast<std::ptrdiff_t>(begin)))
        << want.size() << " elements, " << begin << " to " << end;
  }
}

TEST(LineSorterTest, IsStableAtEverySize) {
  for (const size_t size : kSizes) {
    for (const uint64_t most : {uint64_t{1}, uint64_t{5}, uint64_t{1000},
                                uint64_t{1} << 32, ~uint64_t{0}}) {
      const bool wide = most > uint64_t{1} << 32;
      ExpectWindow({Noise(size, most, wide, 1)}, 0, size);
    }
  }
}

TEST(LineSorterTest, LaterKeysDecideAmongEquals) {
  for (const size_t size : kSizes) {
    for (const uint64_t most : {2, 50}) {
      ExpectWindow({Noise(size, most, false, 1), Noise(size, most, true, 2),
                    Noise(size, most, false, 3)},
                   0, size);
    }
  }
}

TEST(LineSorterTest, APartIsThatOfTheWhole) {
  for (const size_t size : kSizes) {
    for (const uint64_t most : {uint64_t{1}, uint64_t{4}, ~uint64_t{0}}) {
      for (const bool wide : {false, true}) {
        const KeyLine key = Noise(size, most, wide, 4);
        for (const size_t part : {size_t{1}, size / 20, size / 2}) {
          if (part == 0) continue;
          ExpectWindow({key}, 0, part);
          ExpectWindow({key}, size - part, size);
          ExpectWindow({key}, size / 3, std::min(size / 3 + part, size));
          ExpectWindow({key, Noise(size, 3, false, 5)}, 0, part);
        }
      }
    }
  }
}

// The largest key everywhere: nothing may be taken for smaller than it.
TEST(LineSorterTest, PartsOfEqualExtremes) {
  KeyLine key;
  key.narrow.assign(1000, ~0U);
  ExpectWindow({key}, 0, 3);
  ExpectWindow({key}, 997, 1000);
  key.narrow.assign(1000, 0);
  ExpectWindow({key}, 0, 3);
  ExpectWindow({key}, 997, 1000);
}

TEST(LineSorterTest, TooManyElementsAreRefused) {
  EXPECT_THROW(LineSorter(size_t{1} << 32, 0, 1), Error);
}

template <typename T>
std::vector<uint64_t> Encoded(const std::vector<T>& values,
                              const KeyCode& code) {
  KeyLine line;
  code.Encode(values.data(), 1, values.size(), line);
  std::vector<uint64_t> keys(line.wide);
  if (keys.empty()) keys.assign(line.narrow.begin(), line.narrow.end());
  return keys;
}

template <typename T>
void ExpectAscending(const std::vector<T>& values, XLA_FFI_DataType type,
                     KeyOrder order) {
  auto keys = Encoded(values, {type, order, false});
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end())) << type;
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end()) << type;
  keys = Encoded(values, {type, order, true});
  EXPECT_TRUE(std::is_sorted(keys.rbegin(), keys.rend())) << type;
}

template <typename T>
void ExpectIntegers(XLA_FFI_DataType type) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {Limits::min(), 0, 1, Limits::max()};
  if (Limits::is_signed) {
    values.insert(values.begin() + 1, static_cast<T>(-1));
  } else {
    values.erase(values.begin());
  }
  ExpectAscending(values, type, KeyOrder::kInteger);
}

TEST(KeyCodeTest, Integers) {
  ExpectIntegers<int8_t>(XLA_FFI_DataType_S8);
  ExpectIntegers<int16_t>(XLA_FFI_DataType_S16);
  ExpectIntegers<int32_t>(XLA_FFI_DataType_S32);
  ExpectIntegers<int64_t>(XLA_FFI_DataType_S64);
  ExpectIntegers<uint8_t>(XLA_FFI_DataType_U8);
  ExpectIntegers<uint16_t>(XLA_FFI_DataType_U16);
  ExpectIntegers<uint32_t>(XLA_FFI_DataType_U32);
  ExpectIntegers<uint64_t>(XLA_FFI_DataType_U64);
  ExpectAscending<uint8_t>({0, 1}, XLA_FFI_DataType_PRED, KeyOrder::kInteger);
}

template <typename T>
void ExpectFloats(XLA_FFI_DataType type) {
  using Limits = std::numeric_limits<T>;
  const T inf = Limits::infinity();
  const T nan = Limits::quiet_NaN();
  const std::vector<T> total = {-nan,
                                -inf,
                                Limits::lowest(),
                                -1,
                                -Limits::denorm_min(),
                                T{-0.0},
                                0,
                                Limits::denorm_min(),
                                Limits::min(),
                                1,
                                inf,
                                nan};
  ExpectAscending(total, type, KeyOrder::kTotal);
  const std::vector<T> values = {-inf, -1, 0, 1, inf, nan};
  ExpectAscending(values, type, KeyOrder::kNumeric);
  for (const auto& equal :
       {std::vector<T>{0, T{-0.0}},
        std::vector<T>{nan, -nan, Limits::signaling_NaN()}}) {
    const auto keys = Encoded(equal, {type, KeyOrder::kNumeric, false});
    EXPECT_EQ(std::count(keys.begin(), keys.end(), keys[0]),
              static_cast<std::ptrdiff_t>(keys.size()));
  }
}

TEST(KeyCodeTest, Floats) {
  ExpectFloats<float>(XLA_FFI_DataType_F32);
  ExpectFloats<double>(XLA_FFI_DataType_F64);
  // -nan, -inf, -1, -0, 0, 1, inf, nan
  ExpectAscending<uint16_t>(
      {0xFE00, 0xFC00, 0xBC00, 0x8000, 0, 0x3C00, 0x7C00, 0x7E00},
      XLA_FFI_DataType_F16, KeyOrder::kTotal);
  ExpectAscending<uint16_t>({0xFF80, 0xBF80, 0, 0x3F80, 0x7F80, 0x7FC0},
                            XLA_FFI_DataType_BF16, KeyOrder::kNumeric);
  ExpectAscending<uint16_t>({0xFC00, 0xBC00, 0, 0x3C00, 0x7C00, 0x7E00},
                            XLA_FFI_DataType_F16, KeyOrder::kNumeric);
  ExpectAscending<uint8_t>({0xFC, 0x80, 0, 1, 0x7C}, XLA_FFI_DataType_F8E5M2,
                           KeyOrder::kTotal);
  ExpectAscending<uint8_t>({0x80, 0xFF, 0xFE, 0x81, 0, 1, 0x7F},
                           XLA_FFI_DataType_F8E4M3FNUZ, KeyOrder::kTotal);
}

TEST(KeyCodeTest, OrdersThatATypeHasNotAreRefused) {
  KeyLine line;
  const uint64_t number[2] = {};
  const KeyCode eight{XLA_FFI_DataType_F8E5M2, KeyOrder::kNumeric, false};
  EXPECT_THROW(eight.Encode(number, 1, 1, line), Error);
  const KeyCode complex{XLA_FFI_DataType_C128, KeyOrder::kInteger, false};
  EXPECT_THROW(complex.Encode(number, 1, 1, line), Error);
}

ForeignAttribute KeysOf(const std::vector<int32_t>& numbers) {
  ForeignAttribute attribute;
  attribute.kind = XLA_FFI_AttrType_ARRAY;
  attribute.type = XLA_FFI_DataType_S32;
  attribute.bytes.assign(reinterpret_cast<const char*>(numbers.data()),
                         numbers.size() * sizeof(int32_t));
  attribute.size = static_cast<int64_t>(numbers.size());
  return attribute;
}

// A sort of s32 by f32, which is only a key.
ForeignCall SortBy(const std::vector<int64_t>& dims, int32_t dimension,
                   int32_t begin, int64_t size) {
  ForeignCall call;
  call.target = kSortTarget;
  call.operands = {RowMajor(PJRT_Buffer_Type_S32, dims),
                   RowMajor(PJRT_Buffer_Type_F32, dims)};
  std::vector<int64_t> part = dims;
  part.at(static_cast<size_t>(dimension)) = size;
  call.results = {RowMajor(PJRT_Buffer_Type_S32, part)};
  call.aliases = {-1};
  call.attributes = {{"keys", KeysOf({1, 2, 0})},
                     {"dimension", ForeignAttribute::OfInt32(dimension)},
                     {"begin", ForeignAttribute::OfInt32(begin)}};
  return call;
}

TEST(SortHandlerTest, SortsAlongAnyDimension) {
  // Two blocks of three lines of five.
  const std::vector<int64_t> dims = {2, 5, 3};
  std::vector<int32_t> index(30);
  std::iota(index.begin(), index.end(), 0);
  std::vector<float> key(30);
  for (size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<float>(i * 7 % 5);
  }
  const ForeignCall call = SortBy(dims, 1, 1, 3);
  std::vector<int32_t> got(18);
  BoundCall(call).Run({index.data(), key.data()}, {got.data()});
  for (size_t block = 0; block < 2; ++block) {
    for (size_t line = 0; line < 3; ++line) {
      std::vector<int32_t> want;
      for (size_t i = 0; i < 5; ++i) {
        want.push_back(static_cast<int32_t>(15 * block + 3 * i + line));
      }
      std::stable_sort(want.begin(), want.end(), [&](int32_t a, int32_t b) {
        return key[static_cast<size_t>(a)] < key[static_cast<size_t>(b)];
      });
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(got[9 * block + 3 * i + line], want[i + 1]);
      }
    }
  }
}

TEST(SortHandlerTest, DamagedCallsAreRefused) {
  std::vector<int32_t> index(30);
  std::vector<float> key(30);
  std::vector<int32_t> got(30);
  const auto run = [&](const ForeignCall& call) {
    BoundCall(call).Run({index.data(), key.data()}, {got.data()});
  };
  EXPECT_NO_THROW(run(SortBy({2, 5, 3}, 1, 0, 5)));
  EXPECT_THROW(run(SortBy({2, 5, 3}, 1, 3, 3)), Error);   // beyond the end
  EXPECT_THROW(run(SortBy({2, 5, 3}, 1, -1, 3)), Error);  // before it
  for (const std::vector<int32_t>& keys :
       {std::vector<int32_t>{}, {1, 2}, {2, 2, 0}, {-1, 0, 0}}) {
    ForeignCall call = SortBy({2, 5, 3}, 1, 0, 5);
    call.attributes["keys"] = KeysOf(keys);
    EXPECT_THROW(run(call), Error) << keys.size();
  }
  ForeignCall call = SortBy({2, 5, 3}, 1, 0, 5);
  call.attributes["dimension"] = ForeignAttribute::OfInt32(3);
  EXPECT_THROW(run(call), Error);
  call = SortBy({2, 5, 3}, 1, 0, 5);
  call.operands[1] = RowMajor(PJRT_Buffer_Type_F32, {5, 2, 3});
  EXPECT_THROW(run(call), Error);
  call = SortBy({2, 5, 3}, 1, 0, 5);
  call.attributes.erase("begin");
  EXPECT_THROW(run(call), Error);
}

}  // namespace
}  // namespace iree_pjrt
