// SPDX-License-Identifier: Apache-2.0
#include "cpu/buffer_allocator.h"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/leak_boundary.h"

namespace iree_pjrt {
namespace {

// More than a header with its padding.
constexpr size_t kCleared = 1024;

// AddressSanitizer watches what malloc gives, and nothing else.
#if defined(IREE_PJRT_ASAN)
constexpr size_t kLeastLarge = SIZE_MAX;
#else
constexpr size_t kLeastLarge = LargeBlocks::kLeast;
#endif

void RaiseTo(std::atomic<int64_t>& maximum, int64_t value) {
  int64_t seen = maximum.load(std::memory_order_relaxed);
  while (seen < value && !maximum.compare_exchange_weak(
                             seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

BufferAllocator::Statistics BufferAllocator::statistics() const {
  return {bytes_in_use_.load(std::memory_order_relaxed),
          peak_bytes_in_use_.load(std::memory_order_relaxed),
          allocation_count_.load(std::memory_order_relaxed),
          largest_allocation_.load(std::memory_order_relaxed)};
}

LargeBlocks::Block BufferAllocator::Take(size_t size) {
  if (size >= kLeastLarge) return large_.Take(size);
  void* const pointer = std::malloc(size);
  return {pointer, malloc_usable_size(pointer)};
}

iree_status_t BufferAllocator::Allocate(size_t size, bool zero,
                                        void** out_ptr) {
  const LargeBlocks::Block block = Take(size);
  if (!block.pointer) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "no memory for a buffer of %zu bytes", size);
  }
  const auto taken = static_cast<int64_t>(block.size);
  RaiseTo(peak_bytes_in_use_,
          bytes_in_use_.fetch_add(taken, std::memory_order_relaxed) + taken);
  RaiseTo(largest_allocation_, static_cast<int64_t>(size));
  allocation_count_.fetch_add(1, std::memory_order_relaxed);
  if (zero) std::memset(block.pointer, 0, std::min(size, kCleared));
  *out_ptr = block.pointer;
  return iree_ok_status();
}

void BufferAllocator::Free(void* pointer) {
  if (!pointer) return;
  size_t size = large_.GiveBack(pointer);
  if (size == 0) {
    size = malloc_usable_size(pointer);
    std::free(pointer);
  }
  bytes_in_use_.fetch_sub(static_cast<int64_t>(size),
                          std::memory_order_relaxed);
}

iree_status_t BufferAllocator::Control(void* self,
                                       iree_allocator_command_t command,
                                       const void* params, void** inout_ptr) {
  auto& allocator = *static_cast<BufferAllocator*>(self);
  const auto size = [params] {
    return static_cast<const iree_allocator_alloc_params_t*>(params)
        ->byte_length;
  };
  switch (command) {
    case IREE_ALLOCATOR_COMMAND_MALLOC:
      return allocator.Allocate(size(), /*zero=*/false, inout_ptr);
    case IREE_ALLOCATOR_COMMAND_CALLOC:
      return allocator.Allocate(size(), /*zero=*/true, inout_ptr);
    case IREE_ALLOCATOR_COMMAND_FREE:
      allocator.Free(*inout_ptr);
      *inout_ptr = nullptr;
      return iree_ok_status();
    default:
      return iree_make_status(IREE_STATUS_UNIMPLEMENTED, "allocator command %d",
                              static_cast<int>(command));
  }
}

}  // namespace iree_pjrt
