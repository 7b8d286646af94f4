// SPDX-License-Identifier: Apache-2.0
#include "base/row_major.h"

#include "base/status.h"

namespace iree_pjrt {

std::string RowMajorText(size_t rank) {
  std::string text = "{";
  for (size_t i = rank; i-- > 0;) {
    text += std::to_string(i);
    if (i > 0) text += ',';
  }
  return text + "}";
}

void CheckLayout(std::string_view wanted, size_t rank,
                 const std::string& whose) {
  if (wanted.empty() || wanted == "default" || wanted == "auto") return;
  const std::string row_major = RowMajorText(rank);
  if (wanted == row_major) return;
  ThrowUnimplemented(whose + " asks for the layout " + std::string(wanted) +
                     "; this platform has only row-major arrays (" + row_major +
                     " here, minor to major)");
}

}  // namespace iree_pjrt
