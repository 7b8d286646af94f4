// SPDX-License-Identifier: Apache-2.0
// How failure travels inside the plugin: one exception type that carries a PJRT
// code and the whole message. The C boundary (api/guard.h) turns it into a
// PJRT_Error; nothing else catches it.
#ifndef IREE_PJRT_BASE_STATUS_H_
#define IREE_PJRT_BASE_STATUS_H_

#include <exception>
#include <string>
#include <utility>

#include "iree/base/api.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt {

// A value: copied freely, owned by whoever holds it.
class Error : public std::exception {
 public:
  Error(PJRT_Error_Code code, std::string message)
      : code_(code), message_(std::move(message)) {}

  PJRT_Error_Code code() const { return code_; }
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  PJRT_Error_Code code_;
  std::string message_;
};

[[noreturn]] void ThrowInvalidArgument(std::string message);
[[noreturn]] void ThrowUnimplemented(std::string message);
[[noreturn]] void ThrowInternal(std::string message);

// The PJRT code that says the same as an IREE code.
PJRT_Error_Code ToPjrtCode(iree_status_code_t code);

// Consumes `status` (which must not be OK) into an Error.
Error ErrorFromIree(iree_status_t status, const char* doing);

// Consumes `status`; throws unless it is OK. `doing` begins the message.
inline void Check(iree_status_t status, const char* doing) {
  if (!iree_status_is_ok(status)) [[unlikely]] {
    throw ErrorFromIree(status, doing);
  }
}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_STATUS_H_
