// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

namespace iree_pjrt {
namespace {

PJRT_Error* OutOfMemory() {
  static PJRT_Error* const error = new PJRT_Error(
      Error(PJRT_Error_Code_RESOURCE_EXHAUSTED, "out of memory"));
  return error;
}

// Made when the library is loaded, while there is memory.
PJRT_Error* const kOutOfMemory = OutOfMemory();

}  // namespace

Error ErrorFromC(PJRT_Error_Code code, const char* message, size_t size) {
  return Error(code, message ? std::string(message, size) : std::string());
}

PJRT_Error* MakeError(const Error& error) noexcept {
  try {
    return new PJRT_Error(error);
  } catch (...) {
    return kOutOfMemory;
  }
}

void ErrorDestroy(PJRT_Error_Destroy_Args& args) {
  if (args.error != kOutOfMemory) delete args.error;
}

void ErrorMessage(PJRT_Error_Message_Args& args) {
  if (!args.error) return;
  args.message = args.error->error.message().c_str();
  args.message_size = args.error->error.message().size();
}

void ErrorGetCode(PJRT_Error_GetCode_Args& args) {
  if (!args.error) ThrowInvalidArgument("error is null");
  args.code = args.error->error.code();
}

}  // namespace iree_pjrt
