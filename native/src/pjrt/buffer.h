// SPDX-License-Identifier: Apache-2.0
// An array on a device. Owned by the caller of the C API; holds a reference on
// the client and on its data, which may be shared with other buffers, pending
// executions and reads.
//
// Delete drops the data at once for the framework; what is in flight keeps its
// own reference, and so does each external reference. Every method may be
// called from any thread: the mutable part is behind a mutex.
#ifndef IREE_PJRT_PJRT_BUFFER_H_
#define IREE_PJRT_PJRT_BUFFER_H_

#include <memory>
#include <mutex>
#include <vector>

#include "base/handle.h"
#include "base/shape.h"
#include "pjrt/event.h"
#include "pjrt/memory.h"
#include "runtime/iree_ref.h"

namespace iree_pjrt {

class Client;

// The data behind a buffer, shared. Whoever makes it sets `hal` before `ready`
// completes; everyone else reads it only after that.
struct BufferData {
  // Null if the buffer only carries an error.
  HalBuffer hal;
  std::shared_ptr<Completion> ready;
  // False for memory of someone else who relies on its contents.
  bool writable = true;
};

class Buffer {
 public:
  // The shape is shared with other buffers of the same program.
  Buffer(std::shared_ptr<Client> client, Memory* memory,
         std::shared_ptr<const Shape> shape,
         std::shared_ptr<const BufferData> data);
  Buffer(std::shared_ptr<Client> client, Memory* memory, Shape shape,
         std::shared_ptr<const BufferData> data)
      : Buffer(std::move(client), memory,
               std::make_shared<const Shape>(std::move(shape)),
               std::move(data)) {}

  Client& client() const { return *client_; }
  Memory& memory() const { return *memory_; }
  const Shape& shape() const { return *shape_; }
  // minor_to_major of the one layout there is; made when first asked for.
  const std::vector<int64_t>& layout_order() const;

  // Throws INVALID_ARGUMENT if deleted.
  std::shared_ptr<const BufferData> data() const;
  bool deleted() const;
  void Delete();

  // An external reference keeps the bytes where and as they are, also after
  // Delete. Dropping one that was never taken throws FAILED_PRECONDITION.
  void AddExternalReference();
  void DropExternalReference();

  // A second buffer over the same data. Data is immutable, so this is a copy.
  Buffer* Alias(Memory* memory) const;
  // A buffer of the same shape and memory.
  Buffer* WithData(std::shared_ptr<const BufferData> data) const;

 private:
  const std::shared_ptr<Client> client_;
  Memory* const memory_;
  const std::shared_ptr<const Shape> shape_;
  mutable std::mutex mutex_;
  mutable std::vector<int64_t> layout_order_;
  std::shared_ptr<const BufferData> data_;
  std::vector<std::shared_ptr<const BufferData>> external_references_;
};
IREE_PJRT_HANDLE(PJRT_Buffer, Buffer)

void BufferDestroy(PJRT_Buffer_Destroy_Args& args);
void BufferElementType(PJRT_Buffer_ElementType_Args& args);
void BufferDimensions(PJRT_Buffer_Dimensions_Args& args);
void BufferUnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args& args);
void BufferDynamicDimensionIndices(
    PJRT_Buffer_DynamicDimensionIndices_Args& args);
void BufferGetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args& args);
void BufferOnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args& args);
void BufferDevice(PJRT_Buffer_Device_Args& args);
void BufferMemory(PJRT_Buffer_Memory_Args& args);
void BufferDelete(PJRT_Buffer_Delete_Args& args);
void BufferIsDeleted(PJRT_Buffer_IsDeleted_Args& args);
void BufferIsOnCpu(PJRT_Buffer_IsOnCpu_Args& args);
void BufferReadyEvent(PJRT_Buffer_ReadyEvent_Args& args);
void BufferUnsafePointer(PJRT_Buffer_UnsafePointer_Args& args);
void BufferIncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args& args);
void BufferDecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args& args);
void BufferOpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PJRT_BUFFER_H_
