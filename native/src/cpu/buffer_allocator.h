// SPDX-License-Identifier: Apache-2.0
// The memory of buffers, with IREE's header of each in front of its bytes:
// malloc with figures, and large blocks that are used again. Owned by the
// Runtime, which outlives every buffer; any thread may use it.
#ifndef IREE_PJRT_CPU_BUFFER_ALLOCATOR_H_
#define IREE_PJRT_CPU_BUFFER_ALLOCATOR_H_

#include <atomic>
#include <cstdint>

#include "cpu/large_blocks.h"
#include "iree/base/api.h"

namespace iree_pjrt {

class BufferAllocator {
 public:
  struct Statistics {
    int64_t bytes_in_use;
    int64_t peak_bytes_in_use;
    int64_t allocation_count;  // ever made
    int64_t largest_allocation;
  };

  // IREE asks for zeros and relies on them in its headers only, so no more than
  // the first bytes of a block are cleared.
  iree_allocator_t handle() { return {this, &Control}; }

  // Each figure is right by itself; together they may be of different moments.
  Statistics statistics() const;

 private:
  static iree_status_t Control(void* self, iree_allocator_command_t command,
                               const void* params, void** inout_ptr);
  // A block with the bytes that it really takes, which are those that it frees.
  LargeBlocks::Block Take(size_t size);
  iree_status_t Allocate(size_t size, bool zero, void** out_ptr);
  void Free(void* pointer);

  LargeBlocks large_;
  std::atomic<int64_t> bytes_in_use_{0};
  std::atomic<int64_t> peak_bytes_in_use_{0};
  std::atomic<int64_t> allocation_count_{0};
  std::atomic<int64_t> largest_allocation_{0};
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_CPU_BUFFER_ALLOCATOR_H_
