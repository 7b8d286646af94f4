// SPDX-License-Identifier: Apache-2.0
#include "buffer_allocator.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace iree_pjrt {
namespace {

// More than a header with its padding.
constexpr size_t kCleared = 1024;

void RaiseTo(std::atomic<int64_t>& maximum, int64_t value) {
  int64_t seen = maximum.load(std::memory_order_relaxed);
  while (seen < value && !maximum.compare_exchange_weak(
                             seen, value, std::memory_order_relaxed)) {
  }
}

// What the block really takes, so that freeing it gives the same back.
int64_t SizeOf(void* pointer) {
  return static_cast<int64_t>(malloc_usable_size(pointer));
}

}  // namespace

BufferAllocator::Statistics BufferAllocator::statistics() const {
  return {bytes_in_use_.load(std::memory_order_relaxed),
          peak_bytes_in_use_.load(std::memory_order_relaxed),
          allocation_count_.load(std::memory_order_relaxed),
          largest_allocation_.load(std::memory_order_relaxed)};
}

iree_status_t BufferAllocator::Reallocate(size_t size, void** inout_ptr) {
  const int64_t before = *inout_ptr ? SizeOf(*inout_ptr) : 0;
  void* pointer = std::realloc(*inout_ptr, size);
  if (!pointer) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "no memory for a buffer of %zu bytes", size);
  }
  *inout_ptr = pointer;
  const int64_t grown = SizeOf(pointer) - before;
  RaiseTo(peak_bytes_in_use_,
          bytes_in_use_.fetch_add(grown, std::memory_order_relaxed) + grown);
  RaiseTo(largest_allocation_, static_cast<int64_t>(size));
  allocation_count_.fetch_add(1, std::memory_order_relaxed);
  return iree_ok_status();
}

iree_status_t BufferAllocator::Allocate(size_t size, bool zero,
                                        void** out_ptr) {
  *out_ptr = nullptr;
  IREE_RETURN_IF_ERROR(Reallocate(size, out_ptr));
  if (zero) std::memset(*out_ptr, 0, std::min(size, kCleared));
  return iree_ok_status();
}

void BufferAllocator::Free(void* pointer) {
  if (!pointer) return;
  bytes_in_use_.fetch_sub(SizeOf(pointer), std::memory_order_relaxed);
  std::free(pointer);
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
    case IREE_ALLOCATOR_COMMAND_REALLOC:
      return allocator.Reallocate(size(), inout_ptr);
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
