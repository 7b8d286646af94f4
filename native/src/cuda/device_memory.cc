// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <utility>

#include "runtime/device_memory_shared.h"

extern "C" {
#include "iree/hal/drivers/cuda/cuda_buffer.h"
}
#include "base/status.h"
#include "cuda/runtime_family.h"
#include "runtime/memory_kinds.h"
#include "trace/trace.h"

namespace iree_pjrt {
namespace {

constexpr size_t kPinnedHost = 1;

iree_hal_buffer_params_t Params(size_t memory) {
  iree_hal_buffer_params_t params{};
  params.usage = IREE_HAL_BUFFER_USAGE_DEFAULT;
  if (memory == kDeviceMemory) {
    params.type = IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL;
    return params;
  }
  params.usage |=
      IREE_HAL_BUFFER_USAGE_MAPPING | IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT;
  // Uncached memory is slow to read.
  params.type =
      IREE_HAL_MEMORY_TYPE_HOST_LOCAL | IREE_HAL_MEMORY_TYPE_HOST_COHERENT |
      IREE_HAL_MEMORY_TYPE_HOST_CACHED | IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE;
  return params;
}

bool IsMappable(iree_hal_buffer_t* buffer) {
  return iree_all_bits_set(iree_hal_buffer_memory_type(buffer),
                           IREE_HAL_MEMORY_TYPE_HOST_VISIBLE) &&
         iree_all_bits_set(iree_hal_buffer_allowed_usage(buffer),
                           IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT);
}

char* Map(iree_hal_buffer_t* buffer, size_t offset, size_t size) {
  return MapPersistently(buffer, offset, size, "mapping page-locked memory");
}

// Returns when it is done.
void Copy(Runtime& runtime, iree_hal_buffer_t* from, size_t from_offset,
          iree_hal_buffer_t* to, size_t to_offset, size_t size,
          const char* doing) {
  Check(iree_hal_device_transfer_d2d(
            runtime.family().device, from, from_offset, to, to_offset, size,
            IREE_HAL_TRANSFER_BUFFER_FLAG_DEFAULT, iree_infinite_timeout()),
        doing);
}

}  // namespace

std::span<const MemoryDescription> MemoryDescriptions() {
  static constexpr MemoryDescription kDescriptions[] = {
      {"device", kDeviceMemory}, {"pinned_host", kPinnedHost}};
  return kDescriptions;
}

bool IsHostMemory(size_t memory) { return memory == kPinnedHost; }

bool IsSameMemory(size_t one, size_t other) { return one == other; }

HalBuffer AllocateBuffer(Runtime& runtime, size_t byte_size, size_t memory) {
  const DeviceScope scope(runtime.family().device);
  HalBuffer buffer;
  Check(iree_hal_allocator_allocate_buffer(runtime.allocator(), Params(memory),
                                           byte_size, buffer.out()),
        memory == kPinnedHost ? "allocating page-locked memory"
                              : "allocating memory of the GPU");
  return buffer;
}

HalBuffer CopyOf(Runtime& runtime, iree_hal_buffer_t* buffer, size_t memory) {
  const DeviceScope scope(runtime.family().device);
  const size_t size = iree_hal_buffer_byte_length(buffer);
  TraceSpan span(TraceKind::kTransfer, "DeviceToDevice");
  span.set_bytes(size);
  HalBuffer copy = AllocateBuffer(runtime, size, memory);
  if (size > 0) {
    Copy(runtime, buffer, 0, copy.get(), 0, size, "copying a buffer");
  }
  return copy;
}

HalBuffer ImportBuffer(Runtime& runtime, void* data, size_t byte_size,
                       std::function<void()> on_release) {
  const DeviceScope scope(runtime.family().device);
  iree_hal_external_buffer_t external{};
  external.type = IREE_HAL_EXTERNAL_BUFFER_TYPE_DEVICE_ALLOCATION;
  external.size = byte_size;
  external.handle.device_allocation.ptr = reinterpret_cast<uint64_t>(data);
  return ImportExternal(runtime, Params(kDeviceMemory), external,
                        std::move(on_release), "importing memory of the GPU");
}

void* AddressOf(Runtime&, iree_hal_buffer_t* buffer) {
  const CUdeviceptr start = iree_hal_cuda_buffer_device_pointer(
      iree_hal_buffer_allocated_buffer(buffer));
  return reinterpret_cast<void*>(start + iree_hal_buffer_byte_offset(buffer));
}

namespace {

// Claims something for one thread. A mutex would not do: a thread may look at
// several buffers at a time.
class Claim {
 public:
  Claim() = default;
  ~Claim() {
    if (taken_) taken_->store(false, std::memory_order_release);
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  // False if somebody else has claimed it.
  bool Take(std::atomic<bool>& taken) {
    if (taken.exchange(true, std::memory_order_acquire)) return false;
    taken_ = &taken;
    return true;
  }

 private:
  std::atomic<bool>* taken_ = nullptr;
};

}  // namespace

// Page-locked memory beside a buffer that the host cannot see.
struct HostView::Staging {
  Staging(Runtime& runtime, iree_hal_buffer_t* buffer, size_t offset,
          size_t size, Access access)
      : runtime(runtime),
        buffer(buffer),
        offset(offset),
        size(size),
        access(access) {
    Runtime::Family& family = runtime.family();
    if (size > family.staging_bytes || !claim.Take(family.staging_taken)) {
      own = AllocateBuffer(runtime, size, kPinnedHost);
      memory = own.get();
    } else {
      if (!family.staging) {
        family.staging =
            AllocateBuffer(runtime, family.staging_bytes, kPinnedHost);
      }
      memory = family.staging.get();
    }
    if (access == Access::kRead) {
      Copy(runtime, buffer, offset, memory, 0, size, "reading from the GPU");
    }
  }

  Runtime& runtime;
  iree_hal_buffer_t* const buffer;
  const size_t offset;
  const size_t size;
  const Access access;
  HalBuffer own;
  // The claim on the client's own memory, while that is in use.
  Claim claim;
  iree_hal_buffer_t* memory = nullptr;
};

HostView::HostView(Runtime& runtime, iree_hal_buffer_t* buffer, size_t offset,
                   size_t size, Access access) {
  if (size == 0) return;
  const DeviceScope scope(runtime.family().device);
  if (IsMappable(buffer)) {
    data_ = Map(buffer, offset, size);
    return;
  }
  auto staging =
      std::make_unique<Staging>(runtime, buffer, offset, size, access);
  data_ = Map(staging->memory, 0, size);
  staging_ = staging.release();
}

HostView::~HostView() { delete staging_; }

HostView::HostView(HostView&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      staging_(std::exchange(other.staging_, nullptr)) {}

void HostView::Finish() {
  if (!staging_ || staging_->access != Access::kReplace) return;
  const DeviceScope scope(staging_->runtime.family().device);
  Copy(staging_->runtime, staging_->memory, 0, staging_->buffer,
       staging_->offset, staging_->size, "writing to the GPU");
}

}  // namespace iree_pjrt
