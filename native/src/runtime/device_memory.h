// SPDX-License-Identifier: Apache-2.0
// The memory of buffers: where it is allocated and how the host gets at it.
// Each family of devices has its own: src/cpu/device_memory.cc, where all
// memory is the host's, and src/cuda/device_memory.cc. Any thread may use it.
#ifndef IREE_PJRT_RUNTIME_DEVICE_MEMORY_H_
#define IREE_PJRT_RUNTIME_DEVICE_MEMORY_H_

#include <functional>

#include "runtime/iree_ref.h"

namespace iree_pjrt {

class Runtime;

// Kinds of memory are indices into MemoryDescriptions().
inline constexpr size_t kDeviceMemory = 0;

// Whether the host may read and write the bytes of a buffer of this kind where
// they lie.
bool IsHostMemory(size_t memory);

// Whether a buffer of the one kind may count as one of the other.
bool IsSameMemory(size_t one, size_t other);

// Uninitialized memory that dispatches and transfers can use.
HalBuffer AllocateBuffer(Runtime& runtime, size_t byte_size,
                         size_t memory = kDeviceMemory);
HalBuffer CopyOf(Runtime& runtime, iree_hal_buffer_t* buffer,
                 size_t memory = kDeviceMemory);

// Wraps memory of someone else that programs can use where it lies;
// `on_release` runs when the last user is gone.
HalBuffer ImportBuffer(Runtime& runtime, void* data, size_t byte_size,
                       std::function<void()> on_release);

// The address that programs see.
void* AddressOf(Runtime& runtime, iree_hal_buffer_t* buffer);

// Some bytes of a buffer on the host: the bytes themselves, or a copy of them.
// One thread at a time; the buffer must outlive it.
class HostView {
 public:
  enum class Access { kRead, kReplace };

  // With kRead, data() holds the bytes; with kReplace anything, and all of it
  // goes to the buffer in Finish().
  HostView(Runtime& runtime, iree_hal_buffer_t* buffer, size_t offset,
           size_t size, Access access);
  ~HostView();
  HostView(HostView&& other) noexcept;
  HostView& operator=(HostView&&) = delete;

  // Null for no bytes.
  char* data() const { return data_; }
  void Finish();

 private:
  // What a family needs beside the bytes.
  struct Staging;

  char* data_ = nullptr;
  Staging* staging_ = nullptr;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RUNTIME_DEVICE_MEMORY_H_
