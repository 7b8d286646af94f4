// SPDX-License-Identifier: Apache-2.0
// The allocator for IREE's runtime objects, which come and go with every
// launch. It is the C library's, but for small zeroed blocks: glibc's calloc
// passes by the per-thread cache that malloc uses. Stateless; any thread may
// use it and free what another allocated.
#ifndef IREE_PJRT_BASE_HOST_ALLOCATOR_H_
#define IREE_PJRT_BASE_HOST_ALLOCATOR_H_

#include "iree/base/api.h"

namespace iree_pjrt {

iree_allocator_t HostAllocator();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_HOST_ALLOCATOR_H_
