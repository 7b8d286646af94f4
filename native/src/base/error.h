// SPDX-License-Identifier: Apache-2.0
// PJRT_Error: owned by the caller of the C API from the moment it is returned,
// freed by PJRT_Error_Destroy. Immutable, so any thread may read it.
#ifndef IREE_PJRT_BASE_ERROR_H_
#define IREE_PJRT_BASE_ERROR_H_

#include "base/status.h"

struct PJRT_Error {
  explicit PJRT_Error(iree_pjrt::Error e) : error(std::move(e)) {}
  const iree_pjrt::Error error;
};

namespace iree_pjrt {

// The error that a framework describes; the message may be null.
Error ErrorFromC(PJRT_Error_Code code, const char* message, size_t size);

// Never throws: out of memory while making an error yields a static one.
PJRT_Error* MakeError(const Error& error) noexcept;

void ErrorDestroy(PJRT_Error_Destroy_Args& args);
void ErrorMessage(PJRT_Error_Message_Args& args);
void ErrorGetCode(PJRT_Error_GetCode_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_ERROR_H_
