// SPDX-License-Identifier: Apache-2.0
// A hash that names programs and checks what was stored. No defence against
// someone who makes collisions. Thread-safe.
#ifndef IREE_PJRT_BASE_FINGERPRINT_H_
#define IREE_PJRT_BASE_FINGERPRINT_H_

#include <string>
#include <string_view>
#include <vector>

namespace iree_pjrt {

// 128 bits in hex over all of `parts`.
std::string Fingerprint(const std::vector<std::string_view>& parts);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_FINGERPRINT_H_
