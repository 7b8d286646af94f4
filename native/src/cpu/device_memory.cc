// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <utility>

#include "base/status.h"
#include "runtime/device_memory_shared.h"
#include "runtime/memory_kinds.h"
#include "runtime/runtime.h"
#include "trace/trace.h"

namespace iree_pjrt {
namespace {

// All kinds of memory are the host's, which generated code uses where it lies.
iree_hal_buffer_params_t Params() {
  iree_hal_buffer_params_t params{};
  params.usage = IREE_HAL_BUFFER_USAGE_DEFAULT | IREE_HAL_BUFFER_USAGE_MAPPING |
                 IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT;
  params.type =
      IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL | IREE_HAL_MEMORY_TYPE_HOST_VISIBLE;
  return params;
}

char* Map(iree_hal_buffer_t* buffer, size_t offset, iree_device_size_t size) {
  return MapPersistently(buffer, offset, size, "mapping a buffer");
}

}  // namespace

std::span<const MemoryDescription> MemoryDescriptions() {
  static constexpr MemoryDescription kDescriptions[] = {
      {"device", 0}, {"pinned_host", 1}, {"unpinned_host", 2}};
  return kDescriptions;
}

bool IsHostMemory(size_t) { return true; }

bool IsSameMemory(size_t, size_t) { return true; }

HalBuffer AllocateBuffer(Runtime& runtime, size_t byte_size, size_t) {
  HalBuffer buffer;
  Check(iree_hal_allocator_allocate_buffer(runtime.allocator(), Params(),
                                           byte_size, buffer.out()),
        "allocating a buffer");
  return buffer;
}

HalBuffer CopyOf(Runtime& runtime, iree_hal_buffer_t* buffer, size_t) {
  const size_t size = iree_hal_buffer_byte_length(buffer);
  TraceSpan span(TraceKind::kTransfer, "DeviceToDevice");
  span.set_bytes(size);
  HalBuffer copy = AllocateBuffer(runtime, size);
  if (size > 0) {
    std::memcpy(Map(copy.get(), 0, size), Map(buffer, 0, size), size);
  }
  return copy;
}

HalBuffer ImportBuffer(Runtime& runtime, void* data, size_t byte_size,
                       std::function<void()> on_release) {
  iree_hal_external_buffer_t external{};
  external.type = IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION;
  external.size = byte_size;
  external.handle.host_allocation.ptr = data;
  return ImportExternal(runtime, Params(), external, std::move(on_release),
                        "importing memory");
}

void* AddressOf(Runtime&, iree_hal_buffer_t* buffer) {
  return Map(buffer, 0, IREE_HAL_WHOLE_BUFFER);
}

HostView::HostView(Runtime&, iree_hal_buffer_t* buffer, size_t offset,
                   size_t size, Access)
    : data_(size > 0 ? Map(buffer, offset, size) : nullptr) {}
HostView::~HostView() = default;
HostView::HostView(HostView&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)) {}
void HostView::Finish() {}

}  // namespace iree_pjrt
