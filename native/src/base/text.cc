// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

namespace iree_pjrt {

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace iree_pjrt
