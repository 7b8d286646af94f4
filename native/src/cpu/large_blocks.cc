// SPDX-License-Identifier: Apache-2.0
#include "cpu/large_blocks.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace iree_pjrt {
namespace {

// A huge page takes one entry of the processor's table, where as much memory in
// pages of 4 KiB takes 512.
constexpr size_t kHugePage = size_t{2} << 20;
// The limit of free blocks, which are looked through one by one.
constexpr size_t kMostFree = 512;
// The limit of bytes in free blocks that the kernel may not take.
constexpr size_t kMostKept = size_t{64} << 20;

size_t PageSize() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

size_t RoundUp(size_t value, size_t unit) {
  return (value + unit - 1) / unit * unit;
}

// `size` bytes from the kernel, a multiple of its page; null if there are none.
void* Map(size_t size) {
  const size_t alignment = size < kHugePage ? LargeBlocks::kLeast : kHugePage;
  void* mapped = mmap(nullptr, size + alignment, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  const auto address = reinterpret_cast<uintptr_t>(mapped);
  const size_t before = RoundUp(address, alignment) - address;
  char* const block = static_cast<char*>(mapped) + before;
  if (before > 0) munmap(mapped, before);
  if (before < alignment) munmap(block + size, alignment - before);
  // A kernel without huge pages uses small ones.
  madvise(block, size, MADV_HUGEPAGE);
  return block;
}

}  // namespace

LargeBlocks::LargeBlocks()
    : most_free_bytes_(static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
                       PageSize() / 8) {}

LargeBlocks::~LargeBlocks() { UnmapUntil(0, 0); }

LargeBlocks::Block LargeBlocks::Take(size_t size) {
  if (size > SIZE_MAX / 2) return {};
  size = RoundUp(size, PageSize());
  std::lock_guard<std::mutex> lock(mutex_);
  Block block = TakeFree(size);
  if (!block.pointer) block = {Map(size), size};
  if (!block.pointer) {
    UnmapUntil(0, 0);
    block.pointer = Map(size);
  }
  if (!block.pointer) return {};
  taken_.emplace(block.pointer, block.size);
  taken_bytes_ += block.size;
  peak_bytes_ = std::max(peak_bytes_, taken_bytes_);
  return block;
}

LargeBlocks::Block LargeBlocks::TakeFree(size_t size) {
  auto best = free_.end();
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (it->size < size || it->size - size > size / 8) continue;
    if (best == free_.end() || it->size <= best->size) best = it;
  }
  if (best == free_.end()) return {};
  const Block block = *best;
  free_.erase(best);
  free_bytes_ -= block.size;
  return block;
}

size_t LargeBlocks::GiveBackAligned(void* pointer) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = taken_.find(pointer);
  if (it == taken_.end()) return 0;
  const size_t size = it->second;
  taken_.erase(it);
  taken_bytes_ -= size;
  free_.push_back({{pointer, size}});
  free_bytes_ += size;
  UnmapUntil(std::min(most_free_bytes_, 2 * peak_bytes_ - taken_bytes_),
             kMostFree);
  Lend();
  return size;
}

void LargeBlocks::UnmapUntil(size_t bytes, size_t count) {
  size_t unmapped = 0;
  while (free_bytes_ > bytes || free_.size() - unmapped > count) {
    const Block& oldest = free_[unmapped++];
    munmap(oldest.pointer, oldest.size);
    free_bytes_ -= oldest.size;
  }
  free_.erase(free_.begin(), free_.begin() + static_cast<ptrdiff_t>(unmapped));
}

void LargeBlocks::Lend() {
  size_t kept = 0;
  for (auto it = free_.rbegin(); it != free_.rend(); ++it) {
    kept += it->size;
    if (it->lent || kept <= kMostKept) continue;
    madvise(it->pointer, it->size, MADV_FREE);
    it->lent = true;
  }
}

}  // namespace iree_pjrt
