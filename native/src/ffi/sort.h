// SPDX-License-Identifier: Apache-2.0
// Stable sorts by any number of keys, and the handler that a program's `sort`
// operations are answered by.
#ifndef IREE_PJRT_FFI_SORT_H_
#define IREE_PJRT_FFI_SORT_H_

#include <cstdint>
#include <vector>

#include "ffi/abi.h"

namespace iree_pjrt {

enum class KeyOrder : int32_t {
  kInteger,  // booleans, too
  kTotal,    // of floats by sign and size of their bits, as XLA's TOTALORDER
  kNumeric,  // of floats: zeros are equal, and so are NaNs, which come last
};

// Numbers of one key, in an unsigned type of the same order.
struct KeyLine {
  // One of them is filled; the first for elements of up to 32 bits.
  std::vector<uint32_t> narrow;
  std::vector<uint64_t> wide;

  size_t size() const { return narrow.size() + wide.size(); }
};

// How the elements of an array become a key.
struct KeyCode {
  XLA_FFI_DataType type = XLA_FFI_DataType_INVALID;
  KeyOrder order = KeyOrder::kInteger;
  bool descending = false;

  // `count` elements, each `stride` elements after the one before. Throws
  // UNIMPLEMENTED for types that have no such order.
  void Encode(const void* first, size_t stride, size_t count,
              KeyLine& line) const;
};

// Which elements are at the places from `begin` up to `end` of a line once it
// is sorted by the first key, where that is equal by the second, and so on;
// equal elements stay in order. Keeps its memory for the next line; one thread
// at a time.
class LineSorter {
 public:
  // Throws UNIMPLEMENTED for lines of 2^32 elements or more.
  LineSorter(size_t size, size_t begin, size_t end);

  // The keys, all of the size of a line.
  const std::vector<uint32_t>& Sort(const std::vector<KeyLine>& keys);

 private:
  struct Wide {
    uint64_t key;
    uint32_t index;
  };
  using Narrow = uint64_t;  // key, index

  template <typename Record>
  struct Space {
    std::vector<Record> records;
    std::vector<Record> spare;
  };

  template <typename Record, typename Key>
  void SortRun(const std::vector<Key>& key, uint32_t* order, size_t size,
               Space<Record>& space) const;
  template <typename Record, typename Key>
  void Select(const std::vector<Key>& key, size_t count, bool last,
              Space<Record>& space);
  void SortBy(const std::vector<KeyLine>& keys, size_t level, size_t from,
              size_t to);
  template <typename Key>
  void SortTies(const std::vector<KeyLine>& keys, size_t level,
                const std::vector<Key>& key, size_t from, size_t to);

  const size_t size_;
  const size_t begin_;
  const size_t end_;
  std::vector<uint32_t> order_;
  Space<Narrow> narrow_;
  Space<Wide> wide_;
};

// The custom call that stands for a `sort`. Its first operands are what is
// sorted, one for each result; further ones are only keys. Attributes, s32:
// `dimension`; `begin`, the first place of the sorted lines that the results
// have (their shape says how many); `keys`, for each key the number of its
// operand, its KeyOrder, and 1 if it descends.
inline constexpr char kSortTarget[] = "iree_pjrt_sort";
void AnswerSort(const XLA_FFI_CallFrame& frame);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_SORT_H_
