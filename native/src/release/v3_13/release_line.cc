// SPDX-License-Identifier: Apache-2.0
#include "release/release_line.h"

namespace iree_pjrt {

constexpr ReleaseLine kReleaseLine{3, 13};

}  // namespace iree_pjrt
