// SPDX-License-Identifier: Apache-2.0
// What of libIREECompiler has another name in another release.
#ifndef IREE_PJRT_RELEASE_COMPILER_PASSES_H_
#define IREE_PJRT_RELEASE_COMPILER_PASSES_H_

#include <string_view>

namespace iree_pjrt {

// Passes of the stream phase right before execution is scheduled, in MLIR's
// syntax, with a comma after each; empty if there are none.
extern const std::string_view kPassesBeforeScheduling;

// As the `translation_info` of a function: it has neither tiles nor tensors.
extern const std::string_view kNoTranslation;

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RELEASE_COMPILER_PASSES_H_
