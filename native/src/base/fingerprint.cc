// SPDX-License-Identifier: Apache-2.0
#include "base/fingerprint.h"

#include <cstddef>

namespace iree_pjrt {

std::string Fingerprint(const std::vector<std::string_view>& parts) {
  // FNV-1a, 128 bits; each part is preceded by its size.
  using Wide = unsigned __int128;
  constexpr Wide kPrime = (Wide{1} << 88) + 0x13b;
  Wide hash = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  const auto mix = [&hash](unsigned char byte) {
    hash = (hash ^ byte) * kPrime;
  };
  for (std::string_view part : parts) {
    for (size_t size = part.size(), i = 0; i < 8; ++i, size >>= 8) {
      mix(static_cast<unsigned char>(size));
    }
    for (char c : part) mix(static_cast<unsigned char>(c));
  }
  std::string text(32, '0');
  for (size_t i = text.size(); i-- > 0; hash >>= 4) {
    text[i] = "0123456789abcdef"[static_cast<unsigned>(hash & 15)];
  }
  return text;
}

}  // namespace iree_pjrt
