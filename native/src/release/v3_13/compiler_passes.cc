// SPDX-License-Identifier: Apache-2.0
#include "release/compiler_passes.h"

namespace iree_pjrt {

constexpr std::string_view kPassesBeforeScheduling =
    "iree-stream-place-transfer-executions,";

constexpr std::string_view kNoTranslation =
    "#iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline>";

}  // namespace iree_pjrt
