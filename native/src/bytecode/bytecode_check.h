// SPDX-License-Identifier: Apache-2.0
// Whether MLIR bytecode is whole: its counts fit into it, its indices name
// something. The reader of libIREECompiler does not check some of them. Where
// they are wrong, it writes outside of its arrays or ends the process.
#ifndef IREE_PJRT_BYTECODE_BYTECODE_CHECK_H_
#define IREE_PJRT_BYTECODE_BYTECODE_CHECK_H_

#include <string_view>

namespace iree_pjrt {

// Throws INVALID_ARGUMENT for damaged bytecode; text is left to the compiler.
// What attributes and types say is not looked at.
void CheckBytecode(std::string_view program);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BYTECODE_BYTECODE_CHECK_H_
