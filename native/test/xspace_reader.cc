// SPDX-License-Identifier: Apache-2.0
#include "xspace_reader.h"

#include <algorithm>

#include "base/wire.h"

namespace iree_pjrt_test {
namespace {

using iree_pjrt::WireReader;
using Names = std::map<int64_t, std::string>;

// An entry of a map from numbers to messages with a name.
void ReadName(std::string_view entry, Names& names) {
  int64_t key = 0;
  std::string name;
  for (WireReader r(entry); r.Next();) {
    if (r.field() == 1) key = r.number();
    if (r.field() != 2) continue;
    for (WireReader value(r.bytes()); value.Next();) {
      if (value.field() == 2) name = value.bytes();
    }
  }
  names[key] = name;
}

void ReadStat(std::string_view bytes, const Names& names,
              std::map<std::string, std::string>& stats) {
  std::string name;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == 1) name = names.at(r.number());
    if (r.field() == 4) stats[name] = std::to_string(r.number());
    if (r.field() == 7) stats[name] = names.at(r.number());
  }
}

class PlaneReader {
 public:
  explicit PlaneReader(std::string_view plane) {
    for (WireReader r(plane); r.Next();) {
      if (r.field() == 4) ReadName(r.bytes(), event_names_);
      if (r.field() == 5) ReadName(r.bytes(), stat_names_);
    }
    for (WireReader r(plane); r.Next();) {
      if (r.field() == 2) plane_.name = r.bytes();
      if (r.field() == 3) ReadLine(r.bytes());
      if (r.field() == 6) ReadStat(r.bytes(), stat_names_, plane_.stats);
    }
  }

  SpacePlane Take() { return std::move(plane_); }

 private:
  void ReadLine(std::string_view line) {
    std::string name;
    for (WireReader r(line); r.Next();) {
      if (r.field() == 2) name = r.bytes();
      if (r.field() == 3) plane_.line_begins_ns.push_back(r.number());
      if (r.field() == 4) ReadEvent(name, r.bytes());
    }
  }

  void ReadEvent(const std::string& line, std::string_view bytes) {
    SpaceEvent event;
    event.line = line;
    for (WireReader r(bytes); r.Next();) {
      if (r.field() == 1) event.name = event_names_.at(r.number());
      if (r.field() == 2) event.begin_ps = r.number();
      if (r.field() == 3) event.duration_ps = r.number();
      if (r.field() == 4) ReadStat(r.bytes(), stat_names_, event.stats);
    }
    plane_.events.push_back(std::move(event));
  }

  SpacePlane plane_;
  Names event_names_;
  Names stat_names_;
};

}  // namespace

size_t SpacePlane::Count(const std::string& kind) const {
  return std::count_if(events.begin(), events.end(), [&](const auto& event) {
    return event.stats.at("kind") == kind;
  });
}

SpacePlane ReadSpace(std::string_view bytes) {
  SpacePlane plane;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == 1) plane = PlaneReader(r.bytes()).Take();
  }
  return plane;
}

}  // namespace iree_pjrt_test
