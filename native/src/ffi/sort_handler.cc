// SPDX-License-Identifier: Apache-2.0
// stablehlo.sort along one dimension of a batch of arrays.
#include <algorithm>
#include <array>
#include <string>

#include "ffi/api.h"
#include "ffi/call_attributes.h"
#include "ffi/foreign_call.h"
#include "ffi/sort.h"
#include "runtime/share_work.h"

namespace iree_pjrt {
namespace {

// Fewer elements take less time than calling another thread does.
constexpr size_t kShareFrom = 1 << 12;

using Buffers = std::vector<const XLA_FFI_Buffer*>;

// How the elements of a line lie in an array.
struct Lines {
  size_t size = 1;    // elements of a line
  size_t stride = 1;  // from one to the next
  size_t outer = 1;   // lines side by side are `stride`; blocks of them this

  // Where line `i` begins.
  size_t Begin(size_t i) const {
    return i / stride * size * stride + i % stride;
  }
  size_t count() const { return outer * stride; }
};

Lines LinesOf(const XLA_FFI_Buffer& buffer, int64_t dimension) {
  Lines lines;
  for (int64_t i = 0; i < buffer.rank; ++i) {
    const auto dim = static_cast<size_t>(buffer.dims[i]);
    if (i < dimension) lines.outer *= dim;
    if (i == dimension) lines.size = dim;
    if (i > dimension) lines.stride *= dim;
  }
  return lines;
}

struct Key {
  const XLA_FFI_Buffer* buffer;
  KeyCode code;
};

// A call of the handler, checked.
class SortCall {
 public:
  explicit SortCall(const XLA_FFI_CallFrame& frame) {
    for (int64_t i = 0; i < frame.args.size; ++i) {
      operands_.push_back(
          static_cast<const XLA_FFI_Buffer*>(frame.args.args[i]));
    }
    for (int64_t i = 0; i < frame.rets.size; ++i) {
      results_.push_back(
          static_cast<const XLA_FFI_Buffer*>(frame.rets.rets[i]));
    }
    ReadKeys(ArrayAttribute(frame.attrs, "keys"));
    CheckShapes(ScalarAttribute(frame.attrs, "dimension"),
                ScalarAttribute(frame.attrs, "begin"));
  }

  void Run() const {
    if (to_.count() * to_.size == 0) return;
    const size_t parts = Parts();
    if (parts == 1) return SortLines(0, from_.count());
    const auto first = [&](uint64_t part) {
      return static_cast<size_t>(part) * from_.count() / parts;
    };
    // As long as a part takes.
    const uint64_t kind = from_.count() / parts * from_.size * keys_.size();
    ShareThrowingWork(kind, parts, [&](uint64_t begin, uint64_t end) {
      SortLines(first(begin), first(end));
    });
  }

 private:
  // Into how many the lines are divided among threads.
  size_t Parts() const {
    if (from_.count() * from_.size < kShareFrom) return 1;
    return std::min(from_.count(), PartsForThreads());
  }

  void SortLines(size_t first, size_t end) const {
    LineSorter sorter(from_.size, begin_, begin_ + to_.size);
    std::vector<KeyLine> keys(keys_.size());
    for (size_t i = first; i < end; ++i) {
      for (size_t k = 0; k < keys.size(); ++k) {
        const XLA_FFI_Buffer& buffer = *keys_[k].buffer;
        keys_[k].code.Encode(At(buffer, from_.Begin(i)), from_.stride,
                             from_.size, keys[k]);
      }
      const uint32_t* order = sorter.Sort(keys).data() + begin_;
      for (size_t r = 0; r < results_.size(); ++r) Collect(r, i, order);
    }
  }

  static char* At(const XLA_FFI_Buffer& buffer, size_t element) {
    return static_cast<char*>(buffer.data) + element * ByteSizeOf(buffer.dtype);
  }

  void ReadKeys(std::span<const int32_t> numbers) {
    if (numbers.empty() || numbers.size() % 3 != 0) RefuseCall(kSortTarget);
    for (size_t i = 0; i < numbers.size(); i += 3) {
      const auto operand = static_cast<size_t>(numbers[i]);
      if (numbers[i] < 0 || operand >= operands_.size())
        RefuseCall(kSortTarget);
      const XLA_FFI_Buffer* const buffer = operands_[operand];
      keys_.push_back({buffer,
                       {buffer->dtype, static_cast<KeyOrder>(numbers[i + 1]),
                        numbers[i + 2] != 0}});
    }
  }

  void CheckShapes(int32_t dimension, int32_t begin) {
    if (results_.empty() || results_.size() > operands_.size())
      RefuseCall(kSortTarget);
    const XLA_FFI_Buffer& first = *operands_[0];
    if (dimension < 0 || dimension >= first.rank || begin < 0)
      RefuseCall(kSortTarget);
    from_ = LinesOf(first, dimension);
    to_ = LinesOf(*results_[0], dimension);
    begin_ = static_cast<size_t>(begin);
    if (begin_ + to_.size > from_.size || from_.outer != to_.outer ||
        from_.stride != to_.stride) {
      RefuseCall(kSortTarget);
    }
    const auto same = [&](const XLA_FFI_Buffer& buffer, const Lines& lines) {
      const Lines other = LinesOf(buffer, dimension);
      return other.size == lines.size && other.outer == lines.outer &&
             other.stride == lines.stride && buffer.rank == first.rank;
    };
    for (const auto* operand : operands_) {
      if (!same(*operand, from_)) RefuseCall(kSortTarget);
    }
    for (size_t r = 0; r < results_.size(); ++r) {
      if (!same(*results_[r], to_) ||
          results_[r]->dtype != operands_[r]->dtype) {
        RefuseCall(kSortTarget);
      }
    }
  }

  // Line `i` of result `r`: the elements at these places.
  void Collect(size_t r, size_t i, const uint32_t* order) const {
    switch (ByteSizeOf(results_[r]->dtype)) {
      case 1:
        return CollectAs<uint8_t>(r, i, order);
      case 2:
        return CollectAs<uint16_t>(r, i, order);
      case 4:
        return CollectAs<uint32_t>(r, i, order);
      case 8:
        return CollectAs<uint64_t>(r, i, order);
      case 16:
        return CollectAs<std::array<uint64_t, 2>>(r, i, order);
      default:
        RefuseCall(kSortTarget);
    }
  }

  template <typename Bits>
  void CollectAs(size_t r, size_t i, const uint32_t* order) const {
    const auto* from =
        reinterpret_cast<const Bits*>(At(*operands_[r], from_.Begin(i)));
    auto* to = reinterpret_cast<Bits*>(At(*results_[r], to_.Begin(i)));
    const size_t stride = to_.stride;
    for (size_t k = 0; k < to_.size; ++k) {
      to[k * stride] = from[order[k] * stride];
    }
  }

  Buffers operands_;
  Buffers results_;
  std::vector<Key> keys_;
  Lines from_;
  Lines to_;
  size_t begin_ = 0;
};

}  // namespace

void AnswerSort(const XLA_FFI_CallFrame& frame) { SortCall(frame).Run(); }

}  // namespace iree_pjrt
