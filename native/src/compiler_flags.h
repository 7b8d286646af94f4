// SPDX-License-Identifier: Apache-2.0
// Flags of the IREE compiler that every program is compiled with, and what the
// user's own say about them.
#ifndef IREE_PJRT_COMPILER_FLAGS_H_
#define IREE_PJRT_COMPILER_FLAGS_H_

#include <string>
#include <vector>

namespace iree_pjrt {

const std::vector<std::string>& DefaultCompilerFlags();

// Whether a flag says how executables are linked.
bool SayHowToLink(const std::vector<std::string>& flags);

// Whether a flag names a processor other than this one.
bool NameATarget(const std::vector<std::string>& flags);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILER_FLAGS_H_
