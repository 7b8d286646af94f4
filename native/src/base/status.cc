// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

namespace iree_pjrt {

void ThrowInvalidArgument(std::string message) {
  throw Error(PJRT_Error_Code_INVALID_ARGUMENT, std::move(message));
}

void ThrowUnimplemented(std::string message) {
  throw Error(PJRT_Error_Code_UNIMPLEMENTED, std::move(message));
}

void ThrowInternal(std::string message) {
  throw Error(PJRT_Error_Code_INTERNAL, std::move(message));
}

PJRT_Error_Code ToPjrtCode(iree_status_code_t code) {
  // Both follow absl's numbering up to 16; IREE adds codes beyond it.
  if (code == IREE_STATUS_DEFERRED) return PJRT_Error_Code_UNAVAILABLE;
  if (code < IREE_STATUS_OK || code > IREE_STATUS_UNAUTHENTICATED) {
    return PJRT_Error_Code_UNKNOWN;
  }
  return static_cast<PJRT_Error_Code>(code);
}

Error ErrorFromIree(iree_status_t status, const char* doing) {
  const PJRT_Error_Code code = ToPjrtCode(iree_status_code(status));
  std::string message(doing);
  message += ": ";
  iree_allocator_t allocator = iree_allocator_system();
  char* text = nullptr;
  iree_host_size_t size = 0;
  if (iree_status_to_string(status, &allocator, &text, &size)) {
    message.append(text, size);
    iree_allocator_free(allocator, text);
  } else {
    message += iree_status_code_string(iree_status_code(status));
  }
  iree_status_free(status);
  return Error(code, std::move(message));
}

}  // namespace iree_pjrt
