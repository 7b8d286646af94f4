// SPDX-License-Identifier: Apache-2.0
// Buffers whose data is decided later, by a call of the framework: aliases that
// are fulfilled with another buffer, and donations that wait for something.
//
// The token that the framework gets along with such a buffer lives until it is
// handed back, which happens exactly once; a buffer whose token never comes
// back never gets ready.
#ifndef IREE_PJRT_TRANSFER_PROMISED_BUFFER_H_
#define IREE_PJRT_TRANSFER_PROMISED_BUFFER_H_

#include "pjrt/buffer.h"

namespace iree_pjrt {

void ClientCreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args& args);
void ClientFulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args& args);

// The buffer is gone as after a donation; the new one is ready when both the
// data and the dependency are.
void BufferDonateWithControlDependency(
    PJRT_Buffer_DonateWithControlDependency_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TRANSFER_PROMISED_BUFFER_H_
