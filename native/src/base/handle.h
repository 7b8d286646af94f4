// SPDX-License-Identifier: Apache-2.0
// PJRT's opaque handles are our objects under another name: a conversion costs
// nothing, and a null handle is refused with its name.
#ifndef IREE_PJRT_BASE_HANDLE_H_
#define IREE_PJRT_BASE_HANDLE_H_

#include <string>

#include "base/status.h"

namespace iree_pjrt {

template <typename C>
struct ObjectOf;

#define IREE_PJRT_HANDLE(c_type, cc_type)     \
  template <>                                 \
  struct ObjectOf<c_type> {                   \
    using Type = cc_type;                     \
  };                                          \
  inline c_type* ToC(cc_type* object) {       \
    return reinterpret_cast<c_type*>(object); \
  }

// The object behind `handle`, which may not be null.
template <typename C>
typename ObjectOf<C>::Type& FromC(C* handle, const char* what) {
  if (!handle) ThrowInvalidArgument(std::string(what) + " is null");
  return *reinterpret_cast<typename ObjectOf<C>::Type*>(handle);
}
template <typename C>
const typename ObjectOf<C>::Type& FromC(const C* handle, const char* what) {
  return FromC(const_cast<C*>(handle), what);
}

// Takes a handle back to delete it; null stays null.
template <typename C>
typename ObjectOf<C>::Type* Take(C* handle) {
  return reinterpret_cast<typename ObjectOf<C>::Type*>(handle);
}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_HANDLE_H_
