// SPDX-License-Identifier: Apache-2.0
// The chain of extensions behind the API table. Lives as long as the process.
#ifndef IREE_PJRT_API_EXTENSIONS_H_
#define IREE_PJRT_API_EXTENSIONS_H_

#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt {

PJRT_Extension_Base* Extensions();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_API_EXTENSIONS_H_
