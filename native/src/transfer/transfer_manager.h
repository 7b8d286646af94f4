// SPDX-License-Identifier: Apache-2.0
// PJRT_AsyncHostToDeviceTransferManager: buffers that exist before their data,
// which the caller then sends in pieces. Owned by the caller of the C API; the
// buffers outlive it. Any thread may call anything: pieces of one buffer may
// come from several at once. Destroying it fails what is still unfinished.
#ifndef IREE_PJRT_TRANSFER_TRANSFER_MANAGER_H_
#define IREE_PJRT_TRANSFER_TRANSFER_MANAGER_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/handle.h"
#include "pjrt/buffer.h"

namespace iree_pjrt {

class TransferManager {
 public:
  TransferManager(std::shared_ptr<Client> client, Memory* memory,
                  std::vector<Shape> shapes);
  ~TransferManager();
  TransferManager(const TransferManager&) = delete;
  TransferManager& operator=(const TransferManager&) = delete;

  Memory& memory() const { return *memory_; }
  size_t buffer_count() const { return slots_.size(); }
  // The methods throw INVALID_ARGUMENT for an index out of range.
  const Shape& shape(int index) const;

  // Copies before it returns. After the last piece, whenever it comes in
  // relation to the others, the buffer is ready.
  void Transfer(int index, const void* data, int64_t offset, int64_t size,
                bool is_last);
  void TransferAll(int index, const void* data,
                   std::span<const int64_t> strides);
  void Fail(int index, Error error);
  // Once for each index.
  std::unique_ptr<Buffer> Retrieve(int index);

 private:
  struct Slot {
    Shape shape;
    std::shared_ptr<BufferData> data;
    std::mutex mutex;
    int running = 0;
    bool last_seen = false;
    bool retrieved = false;
  };

  Slot& At(int index) const;
  template <typename Fill>
  void Write(Slot& slot, size_t offset, size_t size, Fill fill);
  // Throws FAILED_PRECONDITION if all was said to be sent.
  static void Begin(Slot& slot, bool is_last);
  static void End(Slot& slot);

  const std::shared_ptr<Client> client_;
  Memory* const memory_;
  std::vector<std::unique_ptr<Slot>> slots_;
};
IREE_PJRT_HANDLE(PJRT_AsyncHostToDeviceTransferManager, TransferManager)

void ClientCreateBuffersForAsyncHostToDevice(
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args& args);
void TransferManagerDestroy(
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args& args);
void TransferManagerTransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args& args);
void TransferManagerTransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args& args);
void TransferManagerRetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args& args);
void TransferManagerDevice(
    PJRT_AsyncHostToDeviceTransferManager_Device_Args& args);
void TransferManagerBufferCount(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args& args);
void TransferManagerBufferSize(
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args& args);
void TransferManagerSetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args& args);
// Metadata is for profilers, of which there is none here: taken and dropped.
void TransferManagerAddMetadata(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TRANSFER_TRANSFER_MANAGER_H_
