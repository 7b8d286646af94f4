// SPDX-License-Identifier: Apache-2.0
// Passes that libIREECompiler has in one release and not in another.
#ifndef IREE_PJRT_RELEASE_COMPILER_PASSES_H_
#define IREE_PJRT_RELEASE_COMPILER_PASSES_H_

#include <string_view>

namespace iree_pjrt {

// Passes of the stream phase right before execution is scheduled, in MLIR's
// syntax, with a comma after each; empty if there are none.
extern const std::string_view kPassesBeforeScheduling;

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RELEASE_COMPILER_PASSES_H_
