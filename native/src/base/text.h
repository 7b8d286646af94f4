// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_BASE_TEXT_H_
#define IREE_PJRT_BASE_TEXT_H_

#include <string>
#include <string_view>

namespace iree_pjrt {

// Puts `to` in each place of `from`; what was put is not looked at again.
void ReplaceAll(std::string& text, std::string_view from, std::string_view to);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_TEXT_H_
