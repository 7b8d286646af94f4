// SPDX-License-Identifier: Apache-2.0
#include "transfer.h"

#include <cstring>

#include "buffer.h"
#include "client.h"
#include "guard.h"
#include "trace.h"

namespace iree_pjrt {
namespace {

// What IREE's generated code may assume of a buffer's address.
constexpr uintptr_t kAlignment = 64;

Memory& Destination(PJRT_Memory* memory, PJRT_Device* device) {
  if (memory) return FromC(memory, "memory");
  return FromC(device, "device").default_memory();
}

std::shared_ptr<const BufferData> ReadyData(HalBuffer hal,
                                            bool writable = true) {
  return std::make_shared<const BufferData>(std::move(hal), Completion::Ready(),
                                            writable);
}

// Wraps foreign memory; `on_release` runs when the last user is gone.
HalBuffer Import(Client& client, void* data, size_t size,
                 std::function<void()> on_release) {
  auto* release = new std::function<void()>(std::move(on_release));
  iree_hal_buffer_params_t params{};
  params.usage = IREE_HAL_BUFFER_USAGE_DEFAULT | IREE_HAL_BUFFER_USAGE_MAPPING |
                 IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT;
  params.type =
      IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL | IREE_HAL_MEMORY_TYPE_HOST_VISIBLE;
  iree_hal_external_buffer_t external{};
  external.type = IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION;
  external.size = size;
  external.handle.host_allocation.ptr = data;
  const iree_hal_buffer_release_callback_t callback = {
      [](void* user_data, iree_hal_buffer_t*) {
        auto* release = static_cast<std::function<void()>*>(user_data);
        (*release)();
        delete release;
      },
      release};
  HalBuffer buffer;
  iree_status_t status = iree_hal_allocator_import_buffer(
      client.runtime().allocator(), params, &external, callback, buffer.out());
  if (!iree_status_is_ok(status)) delete release;
  Check(status, "importing memory");
  return buffer;
}

bool MayAlias(PJRT_HostBufferSemantics semantics) {
  return semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
         semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
}

HalBuffer CopyFromHost(Client& client, const Shape& shape, const void* data,
                       std::span<const int64_t> strides) {
  HalBuffer hal = AllocateBuffer(client, shape.byte_size());
  if (shape.byte_size() > 0) {
    CopyStrided(shape, data, strides, HostPointer(hal.get()),
                RowMajorStrides(shape));
  }
  return hal;
}

}  // namespace

void RequireRowMajor(const Shape& shape,
                     const PJRT_Buffer_MemoryLayout* layout) {
  if (layout && !IsRowMajor(shape, StridesOfLayout(shape, layout))) {
    ThrowUnimplemented("only row-major device layouts are supported");
  }
}

void CheckRange(const Shape& shape, int64_t offset, int64_t size) {
  const int64_t whole = static_cast<int64_t>(shape.byte_size());
  if (offset < 0 || size < 0 || offset > whole || size > whole - offset) {
    ThrowInvalidArgument(
        "the range [" + std::to_string(offset) + ", +" + std::to_string(size) +
        ") lies outside of a buffer of " + std::to_string(whole) + " bytes");
  }
}

void ClientBufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args& args) {
  TraceSpan span(TraceKind::kTransfer, "HostToDevice");
  const auto client = FromC(args.client, "client").client;
  Memory& memory = Destination(args.memory, args.device);
  Shape shape = MakeShape(args.type, args.dims, args.num_dims);
  span.set_bytes(shape.byte_size());
  RequireRowMajor(shape, args.device_layout);
  if (!args.data && shape.byte_size() > 0) ThrowInvalidArgument("data is null");
  std::vector<int64_t> strides = RowMajorStrides(shape);
  if (args.num_byte_strides > 0) {
    if (args.num_byte_strides != shape.dims.size()) {
      ThrowInvalidArgument("byte_strides do not fit the array's rank");
    }
    strides.assign(args.byte_strides,
                   args.byte_strides + args.num_byte_strides);
  }

  HalBuffer hal;
  bool writable = true;
  auto done = Completion::Ready();
  if (MayAlias(args.host_buffer_semantics) && shape.byte_size() > 0 &&
      reinterpret_cast<uintptr_t>(args.data) % kAlignment == 0 &&
      IsRowMajor(shape, strides)) {
    span.set_what("HostToDevice (in place)");
    done = std::make_shared<Completion>();
    hal = Import(*client, const_cast<void*>(args.data), shape.byte_size(),
                 [done] { done->Complete(nullptr); });
    writable =
        args.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
  } else {
    hal = CopyFromHost(*client, shape, args.data, strides);
  }
  auto buffer = std::make_unique<Buffer>(client, &memory, std::move(shape),
                                         ReadyData(std::move(hal), writable));
  args.done_with_host_buffer = NewEvent(std::move(done));
  args.buffer = ToC(buffer.release());
}

void ClientCreateUninitializedBuffer(
    PJRT_Client_CreateUninitializedBuffer_Args& args) {
  const auto client = FromC(args.client, "client").client;
  Memory& memory = Destination(args.memory, args.device);
  Shape shape =
      MakeShape(args.shape_element_type, args.shape_dims, args.shape_num_dims);
  RequireRowMajor(shape, args.shape_layout);
  HalBuffer hal = AllocateBuffer(*client, shape.byte_size());
  args.buffer = ToC(
      new Buffer(client, &memory, std::move(shape), ReadyData(std::move(hal))));
}

void ClientCreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args& args) {
  const auto client = FromC(args.client, "client").client;
  Memory& memory = FromC(args.memory, "memory");
  Shape shape =
      MakeShape(args.shape_element_type, args.shape_dims, args.shape_num_dims);
  RequireRowMajor(shape, args.shape_layout);
  if (args.error_code == PJRT_Error_Code_OK) {
    ThrowInvalidArgument("an error buffer needs an error code");
  }
  auto failed = Completion::Failed(
      ErrorFromC(args.error_code, args.error_message, args.error_message_size));
  args.buffer = ToC(new Buffer(
      client, &memory, std::move(shape),
      std::make_shared<const BufferData>(HalBuffer(), std::move(failed))));
}

void ClientCreateViewOfDeviceBuffer(
    PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  TraceSpan span(TraceKind::kTransfer, "HostToDevice");
  const auto client = FromC(args.client, "client").client;
  Memory& memory = Destination(args.memory, args.device);
  Shape shape = MakeShape(args.element_type, args.dims, args.num_dims);
  span.set_bytes(shape.byte_size());
  RequireRowMajor(shape, args.layout);
  auto on_delete = [callback = args.on_delete_callback,
                    data = args.device_buffer_ptr,
                    arg = args.on_delete_callback_arg] {
    if (callback) callback(data, arg);
  };
  HalBuffer hal;
  bool writable = true;
  if (shape.byte_size() > 0 &&
      reinterpret_cast<uintptr_t>(args.device_buffer_ptr) % kAlignment == 0) {
    span.set_what("HostToDevice (in place)");
    hal = Import(*client, args.device_buffer_ptr, shape.byte_size(), on_delete);
    writable = false;
  } else {
    hal = CopyFromHost(*client, shape, args.device_buffer_ptr,
                       RowMajorStrides(shape));
    on_delete();
  }
  args.buffer = ToC(new Buffer(client, &memory, std::move(shape),
                               ReadyData(std::move(hal), writable)));
}

namespace {

// Runs `copy` on the bytes once they are there; `done` follows.
template <typename Copy>
void CopyWhenReady(std::shared_ptr<const BufferData> data, size_t size,
                   std::shared_ptr<Completion> done, Copy copy) {
  std::shared_ptr<Completion> ready = data->ready;
  ready->OnDone(
      [data = std::move(data), size, done = std::move(done),
       copy = std::move(copy)](const Completion::Outcome& outcome) mutable {
        Completion::Outcome result = outcome;
        if (!result) {
          TraceSpan span(TraceKind::kTransfer, "DeviceToHost");
          span.set_bytes(size);
          try {
            copy(HostPointer(data->hal.get()));
          } catch (const Error& error) {
            result = std::make_shared<const Error>(error);
          }
        }
        data.reset();
        done->Complete(std::move(result));
      });
}

template <typename Copy>
PJRT_Event* WhenReady(std::shared_ptr<const BufferData> data, size_t size,
                      Copy copy) {
  auto done = std::make_shared<Completion>();
  CopyWhenReady(std::move(data), size, done, std::move(copy));
  return NewEvent(std::move(done));
}

}  // namespace

void BufferToHostBuffer(PJRT_Buffer_ToHostBuffer_Args& args) {
  Buffer& buffer = FromC(args.src, "src");
  const Shape& shape = buffer.shape();
  if (!args.dst) {
    args.dst_size = shape.byte_size();
    return;
  }
  if (args.dst_size < shape.byte_size()) {
    ThrowInvalidArgument("dst_size is " + std::to_string(args.dst_size) +
                         ", needed are " + std::to_string(shape.byte_size()));
  }
  std::vector<int64_t> strides = StridesOfLayout(shape, args.host_layout);
  args.event = WhenReady(
      buffer.data(), shape.byte_size(),
      [shape, strides = std::move(strides), dst = args.dst](const char* from) {
        CopyStrided(shape, from, RowMajorStrides(shape), dst, strides);
      });
}

void BufferCopyRawToHost(PJRT_Buffer_CopyRawToHost_Args& args) {
  Buffer& buffer = FromC(args.buffer, "buffer");
  CheckRange(buffer.shape(), args.offset, args.transfer_size);
  args.event = WhenReady(
      buffer.data(), args.transfer_size,
      [dst = args.dst, offset = args.offset, count = args.transfer_size](
          const char* from) { std::memcpy(dst, from + offset, count); });
}

namespace {

// A copy that waits for its destination.
struct FutureCopy {
  std::shared_ptr<const BufferData> data;
  int64_t offset;
  int64_t size;
  std::shared_ptr<Completion> done;
};

void DestinationReady(
    PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) noexcept {
  const std::unique_ptr<FutureCopy> copy(
      static_cast<FutureCopy*>(args->callback_data));
  if (args->error_code != PJRT_Error_Code_OK) {
    copy->done->Complete(std::make_shared<const Error>(ErrorFromC(
        args->error_code, args->error_message, args->error_message_size)));
    return;
  }
  CopyWhenReady(
      copy->data, copy->size, copy->done,
      [dst = args->dst, offset = copy->offset, size = copy->size](
          const char* from) { std::memcpy(dst, from + offset, size); });
}

}  // namespace

void BufferCopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args& args) {
  const Buffer& buffer = FromC(args.buffer, "buffer");
  CheckRange(buffer.shape(), args.offset, args.transfer_size);
  auto copy = std::make_unique<FutureCopy>(
      FutureCopy{buffer.data(), args.offset, args.transfer_size,
                 std::make_shared<Completion>()});
  args.event = NewEvent(copy->done);
  args.callback_data = copy.release();
  args.future_ready_callback = &DestinationReady;
}

namespace {

// All devices share the host's memory.
Buffer* AliasOf(PJRT_Buffer* handle, Memory& memory) {
  TraceSpan span(TraceKind::kTransfer, "DeviceToDevice (in place)");
  const Buffer& buffer = FromC(handle, "buffer");
  span.set_bytes(buffer.shape().byte_size());
  return buffer.Alias(&memory);
}

}  // namespace

void BufferCopyToDevice(PJRT_Buffer_CopyToDevice_Args& args) {
  Device& device = FromC(args.dst_device, "dst_device");
  args.dst_buffer = ToC(AliasOf(args.buffer, device.default_memory()));
}

void BufferCopyToMemory(PJRT_Buffer_CopyToMemory_Args& args) {
  Memory& memory = FromC(args.dst_memory, "dst_memory");
  args.dst_buffer = ToC(AliasOf(args.buffer, memory));
}

}  // namespace iree_pjrt
