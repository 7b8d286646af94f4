// SPDX-License-Identifier: Apache-2.0
// What the plugin does and when, recorded while somebody wants to know. One
// recorder for the process, because profilers have no client. Any thread may
// record: each has a buffer of its own, whose lock only the end of a recording
// takes too. While nothing is recorded a span costs one relaxed load.
#ifndef IREE_PJRT_TRACE_TRACE_H_
#define IREE_PJRT_TRACE_TRACE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "trace/zone.h"

namespace iree_pjrt {

enum class TraceKind : uint8_t {
  kCompile,
  kDispatch,
  kExecute,
  kKernel,
  kTransfer,
  kCallback
};

// The name of a program, a kernel or a handler; lives as long as an event needs
// it.
using TraceName = std::shared_ptr<const std::string>;

struct TraceEvent {
  TraceKind kind;
  const char* what;  // static; null if the name says it all
  TraceName name;    // may be null
  int64_t begin;     // ns of TraceClock()
  int64_t end;
  int64_t bytes = -1;      // of a transfer
  int64_t workgroups = 0;  // of a kernel
};

struct TraceThread {
  int64_t id;
  std::string name;
  // Events in the order of their ends.
  std::vector<TraceEvent> events;
};

struct Trace {
  // One moment, by the wall clock and by TraceClock().
  int64_t wall_begin = 0;
  int64_t begin = 0;
  // Those that recorded something.
  std::vector<TraceThread> threads;
  // Events that did not fit.
  int64_t dropped = 0;
};

// Beyond these, events of a recording are counted and dropped.
inline constexpr size_t kMaxTraceEvents = size_t{1} << 19;

namespace trace {

// The number of the recording that is on; 0 for none.
extern std::atomic<uint32_t> recording;

}  // namespace trace

inline uint32_t CurrentRecording() {
  return trace::recording.load(std::memory_order_relaxed);
}

// Nanoseconds of a clock that never jumps.
int64_t TraceClock();

// False if a recording is on: there is one at a time.
bool StartRecording();
// Ends the recording; spans that have not ended are not in it.
Trace StopRecording();

// Adds an event to the calling thread's, if `recording` is still on. Does not
// throw: without memory the event is dropped.
void Record(uint32_t recording, TraceEvent event) noexcept;

// One workgroup of a kernel. Those that follow each other on a thread become
// one event.
void RecordWorkgroup(uint32_t recording, const TraceName& kernel,
                     int64_t workgroup, int64_t begin) noexcept;

// From its construction to its destruction, on one thread: an event of the
// recording, and a zone of Tracy in the flavour that has it.
class TraceSpan {
 public:
  TraceSpan(TraceKind kind, const char* what) noexcept
      : recording_(CurrentRecording()), zone_(what) {
    if (recording_) [[unlikely]] {
      new (&event_) TraceEvent{kind, what, nullptr, TraceClock(), 0};
    }
  }
  ~TraceSpan() {
    if (recording_) [[unlikely]]
      End();
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

  // For callers whose name costs something to make.
  bool on() const { return Zone::kSent || recording_ != 0; }

  void set_name(TraceName name) {
    zone_.AddText(*name);
    if (recording_) event_.name = std::move(name);
  }
  void set_what(const char* what) {
    zone_.Rename(what);
    if (recording_) [[unlikely]]
      event_.what = what;
  }
  void set_bytes(size_t bytes) {
    zone_.AddValue(bytes);
    if (recording_) [[unlikely]]
      event_.bytes = static_cast<int64_t>(bytes);
  }

 private:
  void End() noexcept {
    event_.end = TraceClock();
    Record(recording_, std::move(event_));
    event_.~TraceEvent();
  }

  const uint32_t recording_;
  Zone zone_;
  // Made only while something is recorded: filling it costs more than to ask.
  union {
    TraceEvent event_;
  };
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TRACE_TRACE_H_
