// SPDX-License-Identifier: Apache-2.0
// Constants of booleans. A portable artifact packs eight of them into a byte.
// The MLIR of IREE 3.11 expects a byte for each: it reads other values, some
// from beyond the end of the constant.
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
