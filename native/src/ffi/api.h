// SPDX-License-Identifier: Apache-2.0
// What a handler may call: the XLA_FFI_Api table, and the context that it is
// called with. The table is constant; its functions are thread-safe as far as
// the header of the FFI asks for.
#ifndef IREE_PJRT_FFI_API_H_
#define IREE_PJRT_FFI_API_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/status.h"
#include "ffi/abi.h"

// Owned by whoever received it.
struct XLA_FFI_Error {
  iree_pjrt::Error error;
};

namespace iree_pjrt {

const FfiApi* GetFfiApi();

// Consumes `error`; throws it, with `what` in front, unless it is null.
void ThrowIfFailed(XLA_FFI_Error* error, const std::string& what);

// The error for whatever exception is in flight.
XLA_FFI_Error* CurrentExceptionAsFfiError() noexcept;

// What a handler keeps for later calls. Owns the object: it goes with the
// deleter of its type, or the one it came with. Thread-safe.
class HandlerState {
 public:
  HandlerState() = default;
  ~HandlerState();
  HandlerState(const HandlerState&) = delete;
  HandlerState& operator=(const HandlerState&) = delete;

  // Throws FAILED_PRECONDITION if there is one already.
  void Set(XLA_FFI_TypeId type, void* object, void (*deleter)(void*));
  // Throws NOT_FOUND if there is none, INVALID_ARGUMENT for another type.
  void* Get(XLA_FFI_TypeId type) const;

 private:
  mutable std::mutex mutex_;
  XLA_FFI_TypeId type_{0};
  void* object_ = nullptr;
  void (*deleter_)(void*) = nullptr;
};

// Throws INVALID_ARGUMENT: the call of a handler of ours is not as it must be.
[[noreturn]] void RefuseCall(std::string_view target);

// Waits for what a handler returned as its future; throws its error.
void AwaitFuture(XLA_FFI_Future* future, const std::string& what);

}  // namespace iree_pjrt

// Lives for one call, on the stack of the thread that makes it.
struct XLA_FFI_ExecutionContext {
  // Minor of the FFI that the handler was compiled with.
  int minor = 0;
  int32_t device_ordinal = 0;
  int64_t run_id = 0;
  // That the handler has scheduled.
  std::atomic<size_t> tasks = 0;
  // By stage: instantiate lives as long as the executable, the others as long
  // as the call.
  iree_pjrt::HandlerState* states[3] = {};
};

#endif  // IREE_PJRT_FFI_API_H_
