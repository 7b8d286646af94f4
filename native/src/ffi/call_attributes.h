// SPDX-License-Identifier: Apache-2.0
// The attributes of a call as our own handlers read them.
#ifndef IREE_PJRT_FFI_CALL_ATTRIBUTES_H_
#define IREE_PJRT_FFI_CALL_ATTRIBUTES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "ffi/abi.h"

namespace iree_pjrt {

// Both throw INVALID_ARGUMENT if there is none of this name and kind.
int32_t ScalarAttribute(const XLA_FFI_Attrs& attrs, std::string_view name);
std::span<const int32_t> ArrayAttribute(const XLA_FFI_Attrs& attrs,
                                        std::string_view name);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_CALL_ATTRIBUTES_H_
