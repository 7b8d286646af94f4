// SPDX-License-Identifier: Apache-2.0
#include "release/compiler_passes.h"

namespace iree_pjrt {

constexpr std::string_view kPassesBeforeScheduling =
    "iree-stream-place-transfer-executions,";

}  // namespace iree_pjrt
