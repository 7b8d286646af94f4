// SPDX-License-Identifier: Apache-2.0
// The one symbol that the library exports.
#ifndef IREE_PJRT_API_API_H_
#define IREE_PJRT_API_API_H_

#include "xla/pjrt/c/pjrt_c_api.h"

// A table with the lifetime of the process; every entry is set.
extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi();

#endif  // IREE_PJRT_API_API_H_
