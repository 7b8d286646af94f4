// SPDX-License-Identifier: Apache-2.0
// A look into a serialized MLIR module without any MLIR: which dialects does it
// name? Reads the head of MLIR bytecode (string and dialect sections); a text
// module is scanned for tokens.
#ifndef IREE_PJRT_BYTECODE_BYTECODE_H_
#define IREE_PJRT_BYTECODE_BYTECODE_H_

#include <string_view>
#include <vector>

namespace iree_pjrt {

bool IsMlirBytecode(std::string_view program);

// The names of the dialects in bytecode, in its order; its other parts are
// indices into that list.
std::vector<std::string_view> DialectNames(std::string_view program);

// Truncated or damaged bytecode holds nothing: the compiler will say what is
// wrong with it.
bool HoldsDialect(std::string_view program, std::string_view dialect);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BYTECODE_BYTECODE_H_
