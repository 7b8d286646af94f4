// SPDX-License-Identifier: Apache-2.0
// A portable artifact packs constants of booleans, eight to a byte. The MLIR of
// IREE 3.11 keeps a byte per boolean and takes the packed bytes for that: such
// a constant comes out as other values, read from beyond its end.
#ifndef IREE_PJRT_BYTECODE_BOOL_CONSTANTS_H_
#define IREE_PJRT_BYTECODE_BOOL_CONSTANTS_H_

#include <string>
#include <string_view>

namespace iree_pjrt {

// The program with a byte per boolean in each constant; empty if it holds no
// packed one, is text, or is damaged.
std::string UnpackBoolConstants(std::string_view program);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BYTECODE_BOOL_CONSTANTS_H_
