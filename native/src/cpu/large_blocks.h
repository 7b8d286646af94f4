// SPDX-License-Identifier: Apache-2.0
// Large blocks of memory that are used again, in huge pages where they fill
// some. malloc gives such blocks back to the kernel and gets them anew, so that
// a program whose arrays come and go with each launch spends a quarter of its
// time on page faults. Any thread may use it.
#ifndef IREE_PJRT_CPU_LARGE_BLOCKS_H_
#define IREE_PJRT_CPU_LARGE_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace iree_pjrt {

class LargeBlocks {
 public:
  struct Block {
    void* pointer = nullptr;
    size_t size = 0;  // bytes
  };

  // From this size on, in bytes, a block is large, as it is for malloc.
  static constexpr size_t kLeast = size_t{128} << 10;

  LargeBlocks();
  ~LargeBlocks();
  LargeBlocks(const LargeBlocks&) = delete;
  LargeBlocks& operator=(const LargeBlocks&) = delete;

  // At least `size` bytes, kLeast or more, with any contents, aligned to
  // kLeast; a null pointer if there is no memory.
  Block Take(size_t size);

  // Returns the bytes of the block; 0 if it was not taken here. It is kept for
  // Take, as long as no more is mapped than twice what was ever taken at once
  // (a program may need blocks of several sizes, one after the other), and no
  // more kept than an eighth of the machine's memory. The kernel takes most of
  // that when it is short of memory.
  size_t GiveBack(void* pointer) {
    const bool aligned = reinterpret_cast<uintptr_t>(pointer) % kLeast == 0;
    return aligned ? GiveBackAligned(pointer) : 0;
  }

 private:
  struct FreeBlock : Block {
    // Whether the kernel may take its memory.
    bool lent = false;
  };

  size_t GiveBackAligned(void* pointer);
  // A free block of this size or up to an eighth more; none if there is none.
  Block TakeFree(size_t size);
  // Unmaps free blocks, the oldest first, until there are no more than these.
  void UnmapUntil(size_t bytes, size_t count);
  // Lends the kernel the oldest free blocks. The others would take longer to
  // lend, by a message to each core, than small programs run.
  void Lend();

  const size_t most_free_bytes_;
  std::mutex mutex_;
  std::unordered_map<void*, size_t> taken_;  // sizes
  std::vector<FreeBlock> free_;              // the oldest first
  size_t taken_bytes_ = 0;
  size_t peak_bytes_ = 0;
  size_t free_bytes_ = 0;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_CPU_LARGE_BLOCKS_H_
