// SPDX-License-Identifier: Apache-2.0
#include "pjrt/buffer.h"

#include "pjrt/client.h"
#include "runtime/device_memory.h"
#include "trace/trace.h"

namespace iree_pjrt {

Buffer::Buffer(std::shared_ptr<Client> client, Memory* memory,
               std::shared_ptr<const Shape> shape,
               std::shared_ptr<const BufferData> data)
    : client_(std::move(client)),
      memory_(memory),
      shape_(std::move(shape)),
      data_(std::move(data)) {}

const std::vector<int64_t>& Buffer::layout_order() const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (layout_order_.empty()) layout_order_ = RowMajorOrder(shape_->dims.size());
  return layout_order_;
}

std::shared_ptr<const BufferData> Buffer::data() const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!data_) ThrowInvalidArgument("the buffer has been deleted or donated");
  return data_;
}

bool Buffer::deleted() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return data_ == nullptr;
}

void Buffer::Delete() {
  std::shared_ptr<const BufferData> dropped;
  std::lock_guard<std::mutex> lock(mutex_);
  dropped.swap(data_);
}

void Buffer::AddExternalReference() {
  auto held = data();
  std::lock_guard<std::mutex> lock(mutex_);
  external_references_.push_back(std::move(held));
}

void Buffer::DropExternalReference() {
  std::shared_ptr<const BufferData> dropped;
  std::lock_guard<std::mutex> lock(mutex_);
  if (external_references_.empty()) {
    throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
                "the buffer has no external reference");
  }
  dropped.swap(external_references_.back());
  external_references_.pop_back();
}

Buffer* Buffer::Alias(Memory* memory) const {
  return new Buffer(client_, memory, shape_, data());
}

Buffer* Buffer::WithData(std::shared_ptr<const BufferData> data) const {
  return new Buffer(client_, memory_, shape_, std::move(data));
}

void BufferDestroy(PJRT_Buffer_Destroy_Args& args) { delete Take(args.buffer); }

void BufferElementType(PJRT_Buffer_ElementType_Args& args) {
  args.type = FromC(args.buffer, "buffer").shape().type->pjrt;
}

void BufferDimensions(PJRT_Buffer_Dimensions_Args& args) {
  const Shape& shape = FromC(args.buffer, "buffer").shape();
  args.dims = shape.dims.data();
  args.num_dims = shape.dims.size();
}

void BufferUnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  const Shape& shape = FromC(args.buffer, "buffer").shape();
  args.unpadded_dims = shape.dims.data();
  args.num_dims = shape.dims.size();
}

void BufferDynamicDimensionIndices(
    PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  FromC(args.buffer, "buffer");
  args.dynamic_dim_indices = nullptr;
  args.num_dynamic_dims = 0;
}

void BufferGetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args& args) {
  const Buffer& buffer = FromC(args.buffer, "buffer");
  args.layout = {};
  args.layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  args.layout.tiled.minor_to_major = buffer.layout_order().data();
  args.layout.tiled.minor_to_major_size = buffer.layout_order().size();
}

void BufferOnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) {
  args.on_device_size_in_bytes =
      FromC(args.buffer, "buffer").shape().byte_size();
}

void BufferDevice(PJRT_Buffer_Device_Args& args) {
  args.device = ToC(&FromC(args.buffer, "buffer").memory().device());
}

void BufferMemory(PJRT_Buffer_Memory_Args& args) {
  args.memory = ToC(&FromC(args.buffer, "buffer").memory());
}

void BufferDelete(PJRT_Buffer_Delete_Args& args) {
  FromC(args.buffer, "buffer").Delete();
}

void BufferIsDeleted(PJRT_Buffer_IsDeleted_Args& args) {
  args.is_deleted = FromC(args.buffer, "buffer").deleted();
}

// Lets frameworks read the bytes in place, where they are the host's.
// Frameworks take the pointer from an external reference, which waits until the
// bytes are there.
void BufferIsOnCpu(PJRT_Buffer_IsOnCpu_Args& args) {
  args.is_on_cpu = IsHostMemory(
      static_cast<size_t>(FromC(args.buffer, "buffer").memory().kind_id()));
}

void BufferReadyEvent(PJRT_Buffer_ReadyEvent_Args& args) {
  args.event = NewEvent(FromC(args.buffer, "buffer").data()->ready);
}

namespace {

// The address of the bytes, which must be there.
void* ReadyPointer(PJRT_Buffer* handle) {
  TraceSpan span(TraceKind::kTransfer, "DeviceToHost (in place)");
  const Buffer& buffer = FromC(handle, "buffer");
  span.set_bytes(buffer.shape().byte_size());
  const auto data = buffer.data();
  if (const auto& outcome = data->ready->Await()) throw Error(*outcome);
  return AddressOf(buffer.client().runtime(), data->hal.get());
}

}  // namespace

void BufferUnsafePointer(PJRT_Buffer_UnsafePointer_Args& args) {
  args.buffer_pointer = reinterpret_cast<uintptr_t>(ReadyPointer(args.buffer));
}

void BufferIncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  FromC(args.buffer, "buffer").AddExternalReference();
}

void BufferDecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) {
  FromC(args.buffer, "buffer").DropExternalReference();
}

void BufferOpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  args.device_memory_ptr = ReadyPointer(args.buffer);
}

}  // namespace iree_pjrt
