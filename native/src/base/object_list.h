// SPDX-License-Identifier: Apache-2.0
// Compiled objects of one program as one string: how the compiler's side hands
// them to the loader.
#ifndef IREE_PJRT_BASE_OBJECT_LIST_H_
#define IREE_PJRT_BASE_OBJECT_LIST_H_

#include <string>
#include <string_view>
#include <vector>

namespace iree_pjrt {

std::string PackObjects(const std::vector<std::string>& objects);

// Views into `packed`. Throws INVALID_ARGUMENT for what is no such list.
std::vector<std::string_view> UnpackObjects(std::string_view packed);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_OBJECT_LIST_H_
