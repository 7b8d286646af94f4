// SPDX-License-Identifier: Apache-2.0
// Structs of the C API, whose first field says how much of them the caller has.
#ifndef IREE_PJRT_BASE_STRUCT_READER_H_
#define IREE_PJRT_BASE_STRUCT_READER_H_

#include <cstddef>
#include <cstring>

namespace iree_pjrt {

// Copies a struct that the caller may have compiled with another header.
template <typename T>
T ReadStruct(const T* from) {
  T to;
  std::memset(static_cast<void*>(&to), 0, sizeof(T));
  const size_t size =
      from->struct_size < sizeof(T) ? from->struct_size : sizeof(T);
  std::memcpy(static_cast<void*>(&to), from, size);
  return to;
}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_STRUCT_READER_H_
