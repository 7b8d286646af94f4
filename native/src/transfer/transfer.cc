// SPDX-License-Identifier: Apache-2.0
#include "transfer/transfer.h"

#include <cstring>

#include "base/error.h"
#include "pjrt/buffer.h"
#include "pjrt/client.h"
#include "runtime/device_memory.h"
#include "trace/trace.h"

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

bool MayAlias(PJRT_HostBufferSemantics semantics) {
  return semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
         semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
}

size_t KindOf(const Memory& memory) {
  return static_cast<size_t>(memory.kind_id());
}

HalBuffer CopyFromHost(const Memory& memory, const Shape& shape,
                       const void* data, std::span<const int64_t> strides) {
  Runtime& runtime = memory.device().client().runtime();
  const size_t size = shape.byte_size();
  HalBuffer hal = AllocateBuffer(runtime, size, KindOf(memory));
  if (size > 0) {
    HostView view(runtime, hal.get(), 0, size, HostView::Access::kReplace);
    CopyStrided(shape, data, strides, view.data(), RowMajorStrides(shape));
    view.Finish();
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
  if (MayAlias(args.host_buffer_semantics) && IsHostMemory(kDeviceMemory) &&
      shape.byte_size() > 0 &&
      reinterpret_cast<uintptr_t>(args.data) % kAlignment == 0 &&
      IsRowMajor(shape, strides)) {
    span.set_what("HostToDevice (in place)");
    done = std::make_shared<Completion>();
    hal = ImportBuffer(client->runtime(), const_cast<void*>(args.data),
                       shape.byte_size(), [done] { done->Complete(nullptr); });
    writable =
        args.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
  } else {
    hal = CopyFromHost(memory, shape, args.data, strides);
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
  HalBuffer hal =
      AllocateBuffer(client->runtime(), shape.byte_size(), KindOf(memory));
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
      (!IsHostMemory(kDeviceMemory) ||
       reinterpret_cast<uintptr_t>(args.device_buffer_ptr) % kAlignment == 0)) {
    span.set_what("HostToDevice (in place)");
    hal = ImportBuffer(client->runtime(), args.device_buffer_ptr,
                       shape.byte_size(), on_delete);
    writable = false;
  } else {
    hal = CopyFromHost(memory, shape, args.device_buffer_ptr,
                       RowMajorStrides(shape));
    on_delete();
  }
  args.buffer = ToC(new Buffer(client, &memory, std::move(shape),
                               ReadyData(std::move(hal), writable)));
}

namespace {

// Some bytes of a buffer.
struct Range {
  size_t offset;
  size_t size;
};

// Takes numbers that CheckRange has let through.
Range RangeOf(int64_t offset, int64_t size) {
  return {static_cast<size_t>(offset), static_cast<size_t>(size)};
}

// Runs `act` on the data once it is there, and then sets `done`.
template <typename Act>
void ActWhenReady(std::shared_ptr<const BufferData> data,
                  std::shared_ptr<Completion> done, Act act) {
  std::shared_ptr<Completion> ready = data->ready;
  ready->OnDone(
      [data = std::move(data), done = std::move(done),
       act = std::move(act)](const Completion::Outcome& outcome) mutable {
        Completion::Outcome result = outcome;
        if (!result) {
          try {
            act(data->hal.get());
          } catch (const Error& error) {
            result = std::make_shared<const Error>(error);
          }
        }
        data.reset();
        done->Complete(std::move(result));
      });
}

// Runs `copy` on bytes of the buffer once they are there, and then sets `done`.
template <typename Copy>
void CopyWhenReady(std::shared_ptr<Client> client,
                   std::shared_ptr<const BufferData> data, Range range,
                   std::shared_ptr<Completion> done, Copy copy) {
  ActWhenReady(std::move(data), std::move(done),
               [client = std::move(client), range,
                copy = std::move(copy)](iree_hal_buffer_t* buffer) {
                 TraceSpan span(TraceKind::kTransfer, "DeviceToHost");
                 span.set_bytes(range.size);
                 const HostView view(client->runtime(), buffer, range.offset,
                                     range.size, HostView::Access::kRead);
                 copy(view.data());
               });
}

template <typename Copy>
PJRT_Event* WhenReady(const Buffer& buffer, Range range, Copy copy) {
  auto done = std::make_shared<Completion>();
  CopyWhenReady(buffer.client().shared_from_this(), buffer.data(), range, done,
                std::move(copy));
  return NewEvent(std::move(done));
}

// A second buffer over the same data if both kinds of memory are the same, else
// over a copy of it.
Buffer* CopyToMemory(const Buffer& buffer, Memory& memory) {
  TraceSpan span(TraceKind::kTransfer, "DeviceToDevice (in place)");
  span.set_bytes(buffer.shape().byte_size());
  const size_t kind = KindOf(memory);
  if (IsSameMemory(KindOf(buffer.memory()), kind)) return buffer.Alias(&memory);
  span.set_what("DeviceToDevice");
  auto copy =
      std::make_shared<BufferData>(HalBuffer(), std::make_shared<Completion>());
  const auto client = buffer.client().shared_from_this();
  ActWhenReady(buffer.data(), copy->ready,
               [client, copy, kind](iree_hal_buffer_t* from) {
                 copy->hal = CopyOf(client->runtime(), from, kind);
               });
  return new Buffer(client, &memory, buffer.shape(), std::move(copy));
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
      buffer, {0, shape.byte_size()},
      [shape, strides = std::move(strides), dst = args.dst](const char* from) {
        CopyStrided(shape, from, RowMajorStrides(shape), dst, strides);
      });
}

void BufferCopyRawToHost(PJRT_Buffer_CopyRawToHost_Args& args) {
  Buffer& buffer = FromC(args.buffer, "buffer");
  CheckRange(buffer.shape(), args.offset, args.transfer_size);
  args.event =
      WhenReady(buffer, RangeOf(args.offset, args.transfer_size),
                [dst = args.dst, count = args.transfer_size](const char* from) {
                  if (count > 0) std::memcpy(dst, from, count);
                });
}

namespace {

// A copy that waits for its destination.
struct FutureCopy {
  std::shared_ptr<Client> client;
  std::shared_ptr<const BufferData> data;
  Range range;
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
  CopyWhenReady(copy->client, copy->data, copy->range, copy->done,
                [dst = args->dst, size = copy->range.size](const char* from) {
                  if (size > 0) std::memcpy(dst, from, size);
                });
}

}  // namespace

void BufferCopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args& args) {
  const Buffer& buffer = FromC(args.buffer, "buffer");
  CheckRange(buffer.shape(), args.offset, args.transfer_size);
  auto copy = std::make_unique<FutureCopy>(
      FutureCopy{buffer.client().shared_from_this(), buffer.data(),
                 RangeOf(args.offset, args.transfer_size),
                 std::make_shared<Completion>()});
  args.event = NewEvent(copy->done);
  args.callback_data = copy.release();
  args.future_ready_callback = &DestinationReady;
}

void BufferCopyToDevice(PJRT_Buffer_CopyToDevice_Args& args) {
  args.dst_buffer =
      ToC(CopyToMemory(FromC(args.buffer, "buffer"),
                       FromC(args.dst_device, "dst_device").default_memory()));
}

void BufferCopyToMemory(PJRT_Buffer_CopyToMemory_Args& args) {
  args.dst_buffer = ToC(CopyToMemory(FromC(args.buffer, "buffer"),
                                     FromC(args.dst_memory, "dst_memory")));
}

}  // namespace iree_pjrt
