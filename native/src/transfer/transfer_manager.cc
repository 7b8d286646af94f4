// SPDX-License-Identifier: Apache-2.0
#include "transfer/transfer_manager.h"

#include <cstring>

#include "base/error.h"
#include "pjrt/client.h"
#include "runtime/device_memory.h"
#include "trace/trace.h"
#include "transfer/transfer.h"

namespace iree_pjrt {

TransferManager::TransferManager(std::shared_ptr<Client> client, Memory* memory,
                                 std::vector<Shape> shapes)
    : client_(std::move(client)), memory_(memory) {
  for (Shape& shape : shapes) {
    auto slot = std::make_unique<Slot>();
    slot->data = std::make_shared<BufferData>(
        AllocateBuffer(client_->runtime(), shape.byte_size(),
                       static_cast<size_t>(memory->kind_id())),
        std::make_shared<Completion>());
    slot->shape = std::move(shape);
    slots_.push_back(std::move(slot));
  }
}

TransferManager::~TransferManager() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    Fail(static_cast<int>(i),
         Error(PJRT_Error_Code_CANCELLED,
               "the transfer manager was destroyed before the last transfer"));
  }
}

TransferManager::Slot& TransferManager::At(int index) const {
  if (index < 0 || static_cast<size_t>(index) >= slots_.size()) {
    ThrowInvalidArgument("there is no buffer " + std::to_string(index) +
                         "; this transfer manager has " +
                         std::to_string(slots_.size()));
  }
  return *slots_[index];
}

const Shape& TransferManager::shape(int index) const { return At(index).shape; }

void TransferManager::Begin(Slot& slot, bool is_last) {
  std::lock_guard<std::mutex> lock(slot.mutex);
  if (slot.last_seen) {
    throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
                "a transfer after the last one of its buffer");
  }
  slot.last_seen = is_last;
  ++slot.running;
}

void TransferManager::End(Slot& slot) {
  {
    std::lock_guard<std::mutex> lock(slot.mutex);
    if (--slot.running > 0 || !slot.last_seen) return;
  }
  slot.data->ready->Complete(nullptr);
}

// Has `fill` write bytes of the buffer; an error of `fill` becomes the
// buffer's.
template <typename Fill>
void TransferManager::Write(Slot& slot, size_t offset, size_t size, Fill fill) {
  try {
    HostView view(client_->runtime(), slot.data->hal.get(), offset, size,
                  HostView::Access::kReplace);
    fill(view.data());
    view.Finish();
  } catch (const Error& error) {
    slot.data->ready->Complete(std::make_shared<const Error>(error));
    throw;
  }
}

void TransferManager::Transfer(int index, const void* data, int64_t offset,
                               int64_t size, bool is_last) {
  TraceSpan span(TraceKind::kTransfer, "HostToDevice");
  span.set_bytes(size);
  Slot& slot = At(index);
  CheckRange(slot.shape, offset, size);
  if (!data && size > 0) ThrowInvalidArgument("data is null");
  Begin(slot, is_last);
  const size_t count = static_cast<size_t>(size);
  Write(slot, static_cast<size_t>(offset), count, [data, count](char* to) {
    if (count > 0) std::memcpy(to, data, count);
  });
  End(slot);
}

void TransferManager::TransferAll(int index, const void* data,
                                  std::span<const int64_t> strides) {
  TraceSpan span(TraceKind::kTransfer, "HostToDevice");
  Slot& slot = At(index);
  span.set_bytes(slot.shape.byte_size());
  if (!data && slot.shape.byte_size() > 0) ThrowInvalidArgument("data is null");
  Begin(slot, /*is_last=*/true);
  Write(slot, 0, slot.shape.byte_size(), [&](char* to) {
    CopyStrided(slot.shape, data, strides, to, RowMajorStrides(slot.shape));
  });
  End(slot);
}

void TransferManager::Fail(int index, Error error) {
  At(index).data->ready->Complete(
      std::make_shared<const Error>(std::move(error)));
}

std::unique_ptr<Buffer> TransferManager::Retrieve(int index) {
  Slot& slot = At(index);
  std::lock_guard<std::mutex> lock(slot.mutex);
  if (slot.retrieved) {
    ThrowInvalidArgument("buffer " + std::to_string(index) +
                         " has been retrieved before");
  }
  slot.retrieved = true;
  return std::make_unique<Buffer>(client_, memory_, slot.shape, slot.data);
}

void ClientCreateBuffersForAsyncHostToDevice(
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args& args) {
  const auto client = FromC(args.client, "client").client;
  Memory& memory = FromC(args.memory, "memory");
  if (args.num_shape_specs > 0 && !args.shape_specs) {
    ThrowInvalidArgument("shape_specs is null");
  }
  if (args.device_layouts && args.num_device_layouts != args.num_shape_specs) {
    ThrowInvalidArgument("device_layouts are not as many as shape_specs");
  }
  std::vector<Shape> shapes;
  for (size_t i = 0; i < args.num_shape_specs; ++i) {
    const PJRT_ShapeSpec& spec = args.shape_specs[i];
    shapes.push_back(MakeShape(spec.element_type, spec.dims, spec.num_dims));
    if (args.device_layouts) {
      RequireRowMajor(shapes.back(), args.device_layouts[i]);
    }
  }
  args.transfer_manager =
      ToC(new TransferManager(client, &memory, std::move(shapes)));
}

void TransferManagerDestroy(
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args& args) {
  delete Take(args.transfer_manager);
}

void TransferManagerTransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args& args) {
  FromC(args.transfer_manager, "transfer_manager")
      .Transfer(args.buffer_index, args.data, args.offset, args.transfer_size,
                args.is_last_transfer);
  args.done_with_h2d_transfer = NewEvent(Completion::Ready());
}

void TransferManagerTransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args& args) {
  TransferManager& manager = FromC(args.transfer_manager, "transfer_manager");
  const Shape shape =
      MakeShape(args.shape_element_type, args.shape_dims, args.shape_num_dims);
  const Shape& want = manager.shape(args.buffer_index);
  if (shape.dims != want.dims || shape.type != want.type) {
    ThrowInvalidArgument("the literal has another shape than its buffer");
  }
  manager.TransferAll(args.buffer_index, args.data,
                      StridesOfLayout(shape, args.shape_layout));
  args.done_with_h2d_transfer = NewEvent(Completion::Ready());
}

void TransferManagerRetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args& args) {
  args.buffer_out = ToC(FromC(args.transfer_manager, "transfer_manager")
                            .Retrieve(args.buffer_index)
                            .release());
}

void TransferManagerDevice(
    PJRT_AsyncHostToDeviceTransferManager_Device_Args& args) {
  args.device_out =
      ToC(&FromC(args.transfer_manager, "transfer_manager").memory().device());
}

void TransferManagerBufferCount(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args& args) {
  args.buffer_count =
      FromC(args.transfer_manager, "transfer_manager").buffer_count();
}

void TransferManagerBufferSize(
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args& args) {
  args.buffer_size = FromC(args.transfer_manager, "transfer_manager")
                         .shape(args.buffer_index)
                         .byte_size();
}

void TransferManagerSetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args& args) {
  FromC(args.transfer_manager, "transfer_manager")
      .Fail(args.buffer_index, ErrorFromC(args.error_code, args.error_message,
                                          args.error_message_size));
}

void TransferManagerAddMetadata(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args& args) {
  FromC(args.transfer_manager, "transfer_manager");
}

}  // namespace iree_pjrt
