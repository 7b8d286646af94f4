// SPDX-License-Identifier: Apache-2.0
// Data between host and device, and from one memory to another: a copy on the
// calling thread, or on the completion thread for data that is not computed
// yet. Between host memories (runtime/device_memory.h) nothing is copied if the
// framework allows that.
#ifndef IREE_PJRT_TRANSFER_TRANSFER_H_
#define IREE_PJRT_TRANSFER_TRANSFER_H_

#include "base/shape.h"

namespace iree_pjrt {

// Device memory has one layout; throws UNIMPLEMENTED for any other.
void RequireRowMajor(const Shape& shape,
                     const PJRT_Buffer_MemoryLayout* layout);

// Throws INVALID_ARGUMENT unless the bytes lie in an array of this shape.
void CheckRange(const Shape& shape, int64_t offset, int64_t size);

void ClientBufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args& args);
void ClientCreateUninitializedBuffer(
    PJRT_Client_CreateUninitializedBuffer_Args& args);
void ClientCreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args& args);
void ClientCreateViewOfDeviceBuffer(
    PJRT_Client_CreateViewOfDeviceBuffer_Args& args);
void BufferToHostBuffer(PJRT_Buffer_ToHostBuffer_Args& args);
void BufferCopyRawToHost(PJRT_Buffer_CopyRawToHost_Args& args);
// The same, to an address that the framework says later.
void BufferCopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args& args);
void BufferCopyToDevice(PJRT_Buffer_CopyToDevice_Args& args);
void BufferCopyToMemory(PJRT_Buffer_CopyToMemory_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TRANSFER_TRANSFER_H_
