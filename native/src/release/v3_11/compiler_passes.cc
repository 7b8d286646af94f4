// SPDX-License-Identifier: Apache-2.0
#include "release/compiler_passes.h"

namespace iree_pjrt {

constexpr std::string_view kPassesBeforeScheduling = "";

constexpr std::string_view kNoTranslation =
    "#iree_codegen.translation_info<pipeline = None>";

}  // namespace iree_pjrt
