// SPDX-License-Identifier: Apache-2.0
// The handlers and types that were registered for this platform. One per
// process, as XLA's own: they come through C functions that know no client.
// Thread-safe; handlers and types stay for the life of the process.
#ifndef IREE_PJRT_FFI_REGISTRY_H_
#define IREE_PJRT_FFI_REGISTRY_H_

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ffi/abi.h"

namespace iree_pjrt {

struct Handler {
  XLA_FFI_Handler_Bundle stages;
  // Minor of the FFI that the handler was compiled with.
  int minor = 0;
};

class HandlerRegistry {
 public:
  static HandlerRegistry& Get();

  // Asks the handler for its version. The same handler may come again; another
  // one under a name in use is refused. Throws what is wrong.
  void Register(std::string_view name, const XLA_FFI_Handler_Bundle& stages);
  std::optional<Handler> Find(std::string_view name) const;
  // Throws NOT_FOUND with what to do about it.
  Handler Require(std::string_view name) const;
  // The same for programs that are only compiled here: they may also call the
  // handlers that the process which runs them was said to have.
  void RequireToCompile(std::string_view name) const;
  void Announce(const std::vector<std::string>& names);
  std::vector<std::string> Names() const;

  using Deleter = void (*)(void* object);
  // A new number, or the one that the type of this name has; a number other
  // than zero must be that one. Throws ALREADY_EXISTS otherwise.
  int64_t RegisterType(std::string_view name, int64_t id, Deleter deleter);
  // Null for an unknown type.
  Deleter DeleterOf(int64_t type_id) const;

 private:
  struct Type {
    int64_t id;
    Deleter deleter;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Handler, std::less<>> handlers_;
  std::set<std::string, std::less<>> announced_;
  std::map<std::string, Type, std::less<>> types_;
};

// Whether the handler of this name computes and needs no lock, as ours and
// LAPACK's: it may run on a thread that holds locks, such as Python's.
bool OnlyComputes(std::string_view target);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_REGISTRY_H_
