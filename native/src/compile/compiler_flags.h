// SPDX-License-Identifier: Apache-2.0
// Flags of the IREE compiler that every program is compiled with.
#ifndef IREE_PJRT_COMPILE_COMPILER_FLAGS_H_
#define IREE_PJRT_COMPILE_COMPILER_FLAGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "runtime/target.h"

namespace iree_pjrt {

std::vector<std::string> DefaultCompilerFlags(const Target& target);

// Whether none of the flags speaks of passes that we run ourselves
// (compile/pass_lists.h).
bool LeavesOurPasses(const std::vector<std::string>& flags);

// Whether a flag has `part` in it.
bool AnyHolds(const std::vector<std::string>& flags, std::string_view part);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_COMPILER_FLAGS_H_
