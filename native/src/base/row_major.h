// SPDX-License-Identifier: Apache-2.0
// The one layout that arrays have here: row major, without tiles.
#ifndef IREE_PJRT_BASE_ROW_MAJOR_H_
#define IREE_PJRT_BASE_ROW_MAJOR_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace iree_pjrt {

// `{1,0}` for rank 2: dimensions from the fastest to the slowest.
std::string RowMajorText(size_t rank);

// Throws UNIMPLEMENTED unless `wanted`, the text of a layout or a mode (`auto`,
// `default`), can be had. `whose` begins the message.
void CheckLayout(std::string_view wanted, size_t rank,
                 const std::string& whose);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_ROW_MAJOR_H_
