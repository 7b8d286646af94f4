// SPDX-License-Identifier: Apache-2.0
// Functions that compiled code calls and no one links to it: those of the C and
// math libraries, and conversions that compilers have in a library of their
// own. Thread-safe.
#ifndef IREE_PJRT_CPU_MATH_SYMBOLS_H_
#define IREE_PJRT_CPU_MATH_SYMBOLS_H_

namespace iree_pjrt {

// Null for a name that is not known.
void* FindSymbol(const char* name);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_CPU_MATH_SYMBOLS_H_
