// SPDX-License-Identifier: Apache-2.0
// The kinds of memory that a device has. On CPUs all kinds are the host's
// memory: they exist so that programs that place arrays in host memory run
// unchanged, and a move from one to another copies nothing. Immutable, with the
// lifetime of the process.
#ifndef IREE_PJRT_RUNTIME_MEMORY_KINDS_H_
#define IREE_PJRT_RUNTIME_MEMORY_KINDS_H_

#include <span>
#include <string_view>

namespace iree_pjrt {

struct MemoryDescription {
  std::string_view kind;
  int kind_id;
};

// Of this family of devices (runtime/device_memory.h); the first is the
// default.
std::span<const MemoryDescription> MemoryDescriptions();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RUNTIME_MEMORY_KINDS_H_
