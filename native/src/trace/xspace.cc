// SPDX-License-Identifier: Apache-2.0
#include "trace/xspace.h"

#include <map>

#include "base/platform.h"
#include "base/wire.h"

namespace iree_pjrt {
namespace {

// Viewers of traces show the planes of devices that they do not know under this
// prefix.
constexpr char kPlane[] = "/device:CUSTOM:" IREE_PJRT_PLATFORM_NAME;

// Numbers of the fields, as in xplane.proto.
constexpr uint64_t kSpacePlanes = 1;
constexpr uint64_t kPlaneName = 2;
constexpr uint64_t kPlaneLines = 3;
constexpr uint64_t kPlaneEventMetadata = 4;
constexpr uint64_t kPlaneStatMetadata = 5;
constexpr uint64_t kPlaneStats = 6;
constexpr uint64_t kLineId = 1;
constexpr uint64_t kLineName = 2;
constexpr uint64_t kLineTimestamp = 3;  // ns
constexpr uint64_t kLineEvents = 4;
constexpr uint64_t kEventMetadata = 1;
constexpr uint64_t kEventOffset = 2;    // ps
constexpr uint64_t kEventDuration = 3;  // ps
constexpr uint64_t kEventStats = 4;
constexpr uint64_t kStatMetadata = 1;
constexpr uint64_t kStatInt64 = 4;
constexpr uint64_t kStatReference = 7;
// Fields of the two maps and of their entries.
constexpr uint64_t kMapKey = 1;
constexpr uint64_t kMapValue = 2;
constexpr uint64_t kMetadataId = 1;
constexpr uint64_t kMetadataName = 2;

constexpr int64_t kPicosecondsOfNanosecond = 1000;

const char* NameOf(TraceKind kind) {
  switch (kind) {
    case TraceKind::kCompile:
      return "compile";
    case TraceKind::kDispatch:
      return "dispatch";
    case TraceKind::kExecute:
      return "execute";
    case TraceKind::kKernel:
      return "kernel";
    case TraceKind::kTransfer:
      return "transfer";
    case TraceKind::kCallback:
      return "callback";
  }
  return "";
}

std::string NameOf(const TraceEvent& event) {
  std::string name = event.what ? event.what : "";
  if (event.name && !event.name->empty()) {
    if (!name.empty()) name += ' ';
    name += *event.name;
  }
  return name;
}

// Names that events refer to by number, from 1.
class Names {
 public:
  int64_t Of(const std::string& name) {
    return numbers_.try_emplace(name, numbers_.size() + 1).first->second;
  }

  void Write(WireWriter& plane, uint64_t field) const {
    for (const auto& [name, number] : numbers_) {
      WireWriter metadata;
      metadata.Number(kMetadataId, number);
      metadata.Bytes(kMetadataName, name);
      WireWriter entry;
      entry.Number(kMapKey, number);
      entry.Bytes(kMapValue, metadata.Take());
      plane.Bytes(field, entry.Take());
    }
  }

 private:
  std::map<std::string, int64_t> numbers_;
};

class PlaneWriter {
 public:
  explicit PlaneWriter(const Trace& trace) : trace_(trace) {}

  std::string Write() {
    plane_.Bytes(kPlaneName, kPlane);
    for (const TraceThread& thread : trace_.threads) {
      plane_.Bytes(kPlaneLines, Line(thread));
    }
    Number(plane_, kPlaneStats, "dropped_events", trace_.dropped);
    events_.Write(plane_, kPlaneEventMetadata);
    stats_.Write(plane_, kPlaneStatMetadata);
    return plane_.Take();
  }

 private:
  std::string Line(const TraceThread& thread) {
    WireWriter line;
    line.Number(kLineId, thread.id);
    line.Bytes(kLineName, thread.name + "/" + std::to_string(thread.id));
    line.Number(kLineTimestamp, trace_.wall_begin);
    for (const TraceEvent& event : thread.events) {
      line.Bytes(kLineEvents, Event(event));
    }
    return line.Take();
  }

  std::string Event(const TraceEvent& event) {
    WireWriter out;
    out.Number(kEventMetadata, events_.Of(NameOf(event)));
    out.Number(kEventOffset,
               (event.begin - trace_.begin) * kPicosecondsOfNanosecond);
    out.Number(kEventDuration,
               (event.end - event.begin) * kPicosecondsOfNanosecond);
    Reference(out, "kind", NameOf(event.kind));
    if (event.name && event.what) Reference(out, "module", *event.name);
    if (event.bytes >= 0) Number(out, kEventStats, "bytes", event.bytes);
    if (event.workgroups > 0) {
      Number(out, kEventStats, "workgroups", event.workgroups);
    }
    return out.Take();
  }

  void Number(WireWriter& out, uint64_t field, const char* name,
              int64_t value) {
    WireWriter stat;
    stat.Number(kStatMetadata, stats_.Of(name));
    stat.Number(kStatInt64, value);
    out.Bytes(field, stat.Take());
  }

  // A text that many events share.
  void Reference(WireWriter& event, const char* name, const std::string& text) {
    WireWriter stat;
    stat.Number(kStatMetadata, stats_.Of(name));
    stat.Number(kStatReference, stats_.Of(text));
    event.Bytes(kEventStats, stat.Take());
  }

  const Trace& trace_;
  WireWriter plane_;
  Names events_;
  Names stats_;
};

}  // namespace

std::string SerializeXSpace(const Trace& trace) {
  WireWriter space;
  space.Bytes(kSpacePlanes, PlaneWriter(trace).Write());
  return space.Take();
}

}  // namespace iree_pjrt
