// SPDX-License-Identifier: Apache-2.0
// The C boundary. Every function of the API table is one of these wrappers
// around a C++ function `void F(Args&)`:
//  - struct_size is honoured in both directions: the function works on a
//    zero-filled copy of its arguments, so a field that an older caller does
//    not have reads as zero, and only the bytes the caller has are written
//    back;
//  - an exception becomes a PJRT_Error with its whole message;
//  - in the flavour tracing each call is a zone.
#ifndef IREE_PJRT_API_GUARD_H_
#define IREE_PJRT_API_GUARD_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <type_traits>

#include "base/error.h"
#include "base/leak_boundary.h"
#include "base/status.h"
#include "base/struct_reader.h"
#include "trace/zone.h"

namespace iree_pjrt {

// The error for whatever exception is in flight.
inline PJRT_Error* CurrentExceptionAsError(const char* function) noexcept {
  try {
    throw;
  } catch (const Error& e) {
    return MakeError(e);
  } catch (const std::bad_alloc&) {
    return MakeError(Error(PJRT_Error_Code_RESOURCE_EXHAUSTED,
                           std::string(function) + ": out of host memory"));
  } catch (const std::exception& e) {
    return MakeError(Error(PJRT_Error_Code_INTERNAL,
                           std::string(function) + ": " + e.what()));
  } catch (...) {
    return MakeError(Error(PJRT_Error_Code_INTERNAL,
                           std::string(function) + ": unknown exception"));
  }
}

// Bytes of Args that every caller has, whatever struct_size says: headers up to
// 0.72 understate it for this one struct, whose count lies behind the array.
template <typename Args>
inline constexpr size_t kLeastSize = 0;
template <>
inline constexpr size_t kLeastSize<PJRT_Plugin_Attributes_Args> =
    sizeof(PJRT_Plugin_Attributes_Args);

template <typename Args, typename Function>
void CallOnCopy(Args* args, Function function, const char* name) {
  if (!args) ThrowInvalidArgument(std::string(name) + ": args is null");
  if (args->struct_size < offsetof(Args, extension_start)) {
    ThrowInvalidArgument(std::string(name) + ": struct_size " +
                         std::to_string(args->struct_size) + " is too small");
  }
  Args copy = ReadStruct(args);
  function(copy);
  const size_t size =
      std::max(std::min(args->struct_size, sizeof(Args)), kLeastSize<Args>);
  constexpr size_t kHead = sizeof(size_t);  // struct_size stays the caller's
  std::memcpy(reinterpret_cast<char*>(args) + kHead,
              reinterpret_cast<const char*>(&copy) + kHead, size - kHead);
}

template <typename CFunction>
struct ArgsOf;
template <typename R, typename Args>
struct ArgsOf<R(Args*)> {
  using Result = R;
  using Type = Args;
};

// A C function for `kFunction`, whose name for messages is `kName()`.
template <typename CFunction, auto kFunction, auto kName>
struct Guarded {
  using Args = typename ArgsOf<CFunction>::Type;
  using Result = typename ArgsOf<CFunction>::Result;

  static Result Call(Args* args) noexcept {
    const Zone zone(kName());
    try {
      CallAtLeakBoundary([args] { CallOnCopy(args, kFunction, kName()); });
    } catch (...) {
      PJRT_Error* error = CurrentExceptionAsError(kName());
      if constexpr (std::is_void_v<Result>) {
        PJRT_Error_Destroy_Args destroy{};
        destroy.error = error;
        ErrorDestroy(destroy);
        return;
      } else {
        return error;
      }
    }
    if constexpr (!std::is_void_v<Result>) return nullptr;
  }
};

// A C function that only says that it is not implemented, and why.
template <typename CFunction, auto kName, auto kReason>
struct NotImplemented {
  using Args = typename ArgsOf<CFunction>::Type;

  static PJRT_Error* Call(Args*) noexcept {
    try {
      ThrowUnimplemented(std::string(kName()) +
                         " is not implemented: " + kReason());
    } catch (...) {
      return CurrentExceptionAsError(kName());
    }
  }
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_API_GUARD_H_
