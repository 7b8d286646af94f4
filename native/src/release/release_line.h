// SPDX-License-Identifier: Apache-2.0
// The release line of IREE that this library is made of, and ranges of lines.
#ifndef IREE_PJRT_RELEASE_RELEASE_LINE_H_
#define IREE_PJRT_RELEASE_RELEASE_LINE_H_

#include <compare>
#include <limits>
#include <string>

namespace iree_pjrt {

// 3.13, say; the parts are compared as numbers.
struct ReleaseLine {
  int major;
  int minor;

  auto operator<=>(const ReleaseLine&) const = default;
};

// Each line's folder names its own.
extern const ReleaseLine kReleaseLine;

// From `from` up to and with `until`; as it is made, all lines.
struct ReleaseLines {
  static constexpr ReleaseLine kFirst{0, 0};
  static constexpr ReleaseLine kLast{std::numeric_limits<int>::max(), 0};

  ReleaseLine from = kFirst;
  ReleaseLine until = kLast;

  constexpr bool Hold(ReleaseLine line) const {
    return from <= line && line <= until;
  }
};

// `from 3.11 until 3.13`; empty for all lines.
inline std::string TextOf(const ReleaseLines& lines) {
  const auto text = [](ReleaseLine line) {
    return std::to_string(line.major) + "." + std::to_string(line.minor);
  };
  std::string all;
  if (lines.from > ReleaseLines::kFirst) all = "from " + text(lines.from);
  if (lines.until < ReleaseLines::kLast) {
    all += (all.empty() ? "until " : " until ") + text(lines.until);
  }
  return all;
}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RELEASE_RELEASE_LINE_H_
