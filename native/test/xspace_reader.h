// SPDX-License-Identifier: Apache-2.0
// Reads what a profiler hands over: the little of XSpace that tests look at.
#ifndef IREE_PJRT_TEST_XSPACE_READER_H_
#define IREE_PJRT_TEST_XSPACE_READER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace iree_pjrt_test {

struct SpaceEvent {
  std::string line;
  std::string name;
  int64_t begin_ps = 0;  // since the line's
  int64_t duration_ps = 0;
  // Numbers as text.
  std::map<std::string, std::string> stats;
};

struct SpacePlane {
  std::string name;
  std::map<std::string, std::string> stats;
  std::vector<int64_t> line_begins_ns;
  std::vector<SpaceEvent> events;

  // How many have the statistic `kind`.
  size_t Count(const std::string& kind) const;
};

// Of a space with one plane.
SpacePlane ReadSpace(std::string_view bytes);

}  // namespace iree_pjrt_test

#endif  // IREE_PJRT_TEST_XSPACE_READER_H_
