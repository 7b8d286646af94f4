// SPDX-License-Identifier: Apache-2.0
#include "ffi/sort.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <type_traits>

#include "base/status.h"
#include "ffi/foreign_call.h"

namespace iree_pjrt {
namespace {

// Below, comparisons cost less than counting digits does.
constexpr size_t kRadixFrom = 192;
// A window of less than this part of a line is selected before it is sorted.
constexpr size_t kSelectPart = 8;
// Keys that are looked at together.
constexpr size_t kBlock = 32;

bool IsSigned(XLA_FFI_DataType type) {
  return type == XLA_FFI_DataType_S8 || type == XLA_FFI_DataType_S16 ||
         type == XLA_FFI_DataType_S32 || type == XLA_FFI_DataType_S64;
}

// The bits of infinity; those of NaNs without sign are larger.
uint64_t InfinityOf(XLA_FFI_DataType type) {
  switch (type) {
    case XLA_FFI_DataType_F16:
      return 0x7C00;
    case XLA_FFI_DataType_BF16:
      return 0x7F80;
    case XLA_FFI_DataType_F32:
      return 0x7F800000;
    case XLA_FFI_DataType_F64:
      return 0x7FF0000000000000;
    default:
      ThrowUnimplemented("a sort by the numeric order of a type without it");
  }
}

template <typename Bits>
constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));

// Of floats: negative ones are the larger the smaller their bits.
template <typename Bits>
Bits Total(Bits bits) {
  return static_cast<Bits>(bits & kSign<Bits> ? ~bits : bits | kSign<Bits>);
}

template <typename Bits>
Bits Numeric(Bits bits, Bits infinity) {
  const auto size = static_cast<Bits>(bits & ~kSign<Bits>);
  if (size > infinity) return static_cast<Bits>(~Bits{0});
  return Total(size == 0 ? Bits{0} : bits);
}

bool HasUnsignedZeroOnly(XLA_FFI_DataType type) {
  return type == XLA_FFI_DataType_F8E5M2FNUZ ||
         type == XLA_FFI_DataType_F8E4M3FNUZ ||
         type == XLA_FFI_DataType_F8E4M3B11FNUZ;
}

// What would be -0 is the NaN, which XLA has before all numbers.
uint8_t TotalOfFnuz(uint8_t bits) {
  if (bits == kSign<uint8_t>) return 0;
  return static_cast<uint8_t>(Total(bits) + (bits >> 7));
}

// `map`: of the bits of an element.
template <typename Bits, typename Key, typename Map>
void Fill(const void* first, size_t stride, std::vector<Key>& key,
          bool descending, Map map) {
  const auto* from = static_cast<const Bits*>(first);
  const Bits flip = descending ? static_cast<Bits>(~Bits{0}) : Bits{0};
  if (stride == 1) {
    for (size_t i = 0; i < key.size(); ++i) {
      key[i] = static_cast<Bits>(map(from[i]) ^ flip);
    }
    return;
  }
  for (size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<Bits>(map(from[i * stride]) ^ flip);
  }
}

template <typename Bits, typename Key>
void EncodeAs(const KeyCode& code, const void* first, size_t stride,
              std::vector<Key>& key) {
  const bool down = code.descending;
  if (code.order == KeyOrder::kTotal) {
    Fill<Bits>(first, stride, key, down, [](Bits x) { return Total(x); });
  } else if (code.order == KeyOrder::kNumeric) {
    const auto infinity = static_cast<Bits>(InfinityOf(code.type));
    Fill<Bits>(first, stride, key, down,
               [infinity](Bits x) { return Numeric(x, infinity); });
  } else {
    const Bits sign = IsSigned(code.type) ? kSign<Bits> : Bits{0};
    Fill<Bits>(first, stride, key, down,
               [sign](Bits x) { return static_cast<Bits>(x ^ sign); });
  }
}

uint64_t Join(uint32_t key, uint32_t index) {
  return uint64_t{key} << 32 | index;
}

// What a record is made of: a key and the place that it comes from.
template <typename Record, typename Key>
Record Make(Key key, uint32_t index) {
  if constexpr (std::is_integral_v<Record>) {
    return Join(key, index);
  } else {
    return {key, index};
  }
}

template <typename Record>
uint32_t IndexOf(const Record& record) {
  if constexpr (std::is_integral_v<Record>) {
    return static_cast<uint32_t>(record);
  } else {
    return record.index;
  }
}

template <typename Record>
auto KeyOf(const Record& record) {
  if constexpr (std::is_integral_v<Record>) {
    return static_cast<uint32_t>(record >> 32);
  } else {
    return record.key;
  }
}

// No two records are equal: each has another index.
template <typename Record>
bool Before(const Record& a, const Record& b) {
  if constexpr (std::is_integral_v<Record>) {
    return a < b;
  } else {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  }
}

// From the last byte of the keys to the first; `records` are in the order of
// their indices.
template <typename Record>
void RadixSort(std::vector<Record>& records, std::vector<Record>& spare) {
  constexpr size_t kDigits = sizeof(KeyOf(Record{}));
  std::array<std::array<size_t, 256>, kDigits> counts{};
  for (const Record& record : records) {
    const auto key = KeyOf(record);
    for (size_t d = 0; d < kDigits; ++d) ++counts[d][key >> (8 * d) & 255];
  }
  spare.resize(records.size());
  for (size_t d = 0; d < kDigits; ++d) {
    std::array<size_t, 256>& places = counts[d];
    const size_t first = KeyOf(records[0]) >> (8 * d) & 255;
    if (places[first] == records.size()) continue;  // all have this digit
    std::exclusive_scan(places.begin(), places.end(), places.begin(),
                        size_t{0});
    for (const Record& record : records) {
      spare[places[KeyOf(record) >> (8 * d) & 255]++] = record;
    }
    records.swap(spare);
  }
}

template <typename Record>
void SortRecords(std::vector<Record>& records, std::vector<Record>& spare) {
  if (records.size() < kRadixFrom) {
    std::sort(records.begin(), records.end(), &Before<Record>);
  } else {
    RadixSort(records, spare);
  }
}

// Keeps the `count` first of the records.
template <typename Record>
void KeepFirst(std::vector<Record>& records, size_t count) {
  if (records.size() <= count) return;
  const auto end = records.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(records.begin(), end - 1, records.end(), &Before<Record>);
  records.erase(end, records.end());
}

}  // namespace

void KeyCode::Encode(const void* first, size_t stride, size_t count,
                     KeyLine& line) const {
  const size_t bytes = ByteSizeOf(type);
  line.narrow.resize(bytes <= 4 ? count : 0);
  line.wide.resize(bytes <= 4 ? 0 : count);
  if (order == KeyOrder::kTotal && HasUnsignedZeroOnly(type)) {
    return Fill<uint8_t>(first, stride, line.narrow, descending, &TotalOfFnuz);
  }
  if (bytes == 1) return EncodeAs<uint8_t>(*this, first, stride, line.narrow);
  if (bytes == 2) return EncodeAs<uint16_t>(*this, first, stride, line.narrow);
  if (bytes == 4) return EncodeAs<uint32_t>(*this, first, stride, line.narrow);
  if (bytes == 8) return EncodeAs<uint64_t>(*this, first, stride, line.wide);
  ThrowUnimplemented("a sort by keys of " + std::to_string(bytes) + " bytes");
}

LineSorter::LineSorter(size_t size, size_t begin, size_t end)
    : size_(size), begin_(begin), end_(end) {
  if (size > std::numeric_limits<uint32_t>::max()) {
    ThrowUnimplemented("a sort of " + std::to_string(size) + " elements");
  }
}

template <typename Record, typename Key>
void LineSorter::SortRun(const std::vector<Key>& key, uint32_t* order,
                         size_t size, Space<Record>& space) const {
  space.records.resize(size);
  for (size_t i = 0; i < size; ++i) {
    space.records[i] = Make<Record>(key[order[i]], order[i]);
  }
  SortRecords(space.records, space.spare);
  for (size_t i = 0; i < size; ++i) order[i] = IndexOf(space.records[i]);
}

// Puts into the order those `count` that come first, or last, in a sorted line.
// A record that may be one of them is smaller than the largest of those known.
template <typename Record, typename Key>
void LineSorter::Select(const std::vector<Key>& key, size_t count, bool last,
                        Space<Record>& space) {
  std::vector<Record>& kept = space.records;
  kept.clear();
  // The last ones are the first of all bits inverted.
  const Key flip = last ? static_cast<Key>(~Key{0}) : Key{0};
  const uint32_t turn = last ? ~uint32_t{0} : 0;
  const size_t most = 2 * count;
  bool bounded = false;
  Record bound{};
  for (size_t begin = 0; begin < size_; begin += kBlock) {
    const size_t end = std::min(begin + kBlock, size_);
    Key least = key[begin] ^ flip;
    for (size_t i = begin; i < end; ++i) {
      least = std::min<Key>(least, key[i] ^ flip);
    }
    if (bounded && least > KeyOf(bound)) continue;
    for (size_t i = begin; i < end; ++i) {
      const Record record = Make<Record>(static_cast<Key>(key[i] ^ flip),
                                         static_cast<uint32_t>(i) ^ turn);
      if (!bounded || Before(record, bound)) kept.push_back(record);
    }
    if (kept.size() < most) continue;
    KeepFirst(kept, count);
    bound = kept.back();
    bounded = true;
  }
  KeepFirst(kept, count);
  std::sort(kept.begin(), kept.end(), &Before<Record>);
  order_.resize(size_);
  for (size_t i = 0; i < count; ++i) {
    order_[last ? size_ - 1 - i : i] = IndexOf(kept[i]) ^ turn;
  }
}

template <typename Key>
void LineSorter::SortTies(const std::vector<KeyLine>& keys, size_t level,
                          const std::vector<Key>& key, size_t from, size_t to) {
  for (size_t begin = from; begin < to;) {
    const Key value = key[order_[begin]];
    size_t end = begin + 1;
    while (end < to && key[order_[end]] == value) ++end;
    // Only those that reach into the window.
    if (end - begin > 1 && end > begin_ && begin < end_) {
      SortBy(keys, level + 1, begin, end);
    }
    begin = end;
  }
}

// The places from `from` up to `to`, whose elements are equal so far and in
// order.
void LineSorter::SortBy(const std::vector<KeyLine>& keys, size_t level,
                        size_t from, size_t to) {
  const KeyLine& line = keys[level];
  const bool wide = !line.wide.empty();
  uint32_t* const order = order_.data() + from;
  if (wide) {
    SortRun(line.wide, order, to - from, wide_);
  } else {
    SortRun(line.narrow, order, to - from, narrow_);
  }
  if (level + 1 == keys.size()) return;
  if (wide) {
    SortTies(keys, level, line.wide, from, to);
  } else {
    SortTies(keys, level, line.narrow, from, to);
  }
}

const std::vector<uint32_t>& LineSorter::Sort(
    const std::vector<KeyLine>& keys) {
  const bool ends = end_ < size_ / kSelectPart;
  const bool begins = size_ - begin_ < size_ / kSelectPart;
  if (keys.size() == 1 && (ends || begins)) {
    const size_t count = ends ? end_ : size_ - begin_;
    keys[0].wide.empty() ? Select(keys[0].narrow, count, begins, narrow_)
                         : Select(keys[0].wide, count, begins, wide_);
  } else {
    order_.resize(size_);
    std::iota(order_.begin(), order_.end(), 0U);
    SortBy(keys, 0, 0, size_);
  }
  return order_;
}

}  // namespace iree_pjrt
