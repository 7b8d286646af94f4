// SPDX-License-Identifier: Apache-2.0
// Conversions of floats that LLVM leaves to a compiler's library where the
// processor has none (libgcc and compiler-rt: `__truncsfbf2` ...). Thread-safe.
#ifndef IREE_PJRT_CPU_FLOAT_CONVERSIONS_H_
#define IREE_PJRT_CPU_FLOAT_CONVERSIONS_H_

#include <string_view>

namespace iree_pjrt {

// Null for any other name.
void* FindFloatConversion(std::string_view name);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_CPU_FLOAT_CONVERSIONS_H_
