// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <utility>

namespace iree_pjrt {
namespace trace {

std::atomic<uint32_t> recording{0};

}  // namespace trace

namespace {

// Workgroups of one dispatch follow each other closer than this; a thread that
// does something else in between, another dispatch say, takes longer.
constexpr int64_t kWorkgroupGap = 5'000;  // ns

struct ThreadBuffer {
  std::mutex mutex;
  TraceThread thread;
  // The workgroup of the last event, if that is a kernel's.
  int64_t last_workgroup = 0;
};

struct Recorder {
  std::mutex mutex;
  uint32_t last_recording = 0;
  Trace trace;
  // The buffers of living threads, and of those that ended during the
  // recording.
  std::vector<std::shared_ptr<ThreadBuffer>> buffers;
  std::atomic<int64_t> events{0};
};

// Never destroyed: threads may outlive the statics.
Recorder& TheRecorder() {
  static Recorder& recorder = *new Recorder();
  return recorder;
}

ThreadBuffer& BufferOfThisThread() {
  thread_local const std::shared_ptr<ThreadBuffer> buffer = [] {
    auto made = std::make_shared<ThreadBuffer>();
    made->thread.id = syscall(SYS_gettid);
    Recorder& recorder = TheRecorder();
    std::lock_guard<std::mutex> lock(recorder.mutex);
    recorder.buffers.push_back(made);
    return made;
  }();
  return *buffer;
}

// Threads may be renamed when they have begun to work.
std::string NameOfThisThread() {
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return name;
}

// Runs `add` on the thread's buffer if the recording is still on and has room.
template <typename Add>
void Append(uint32_t recording, Add add) noexcept {
  try {
    ThreadBuffer& buffer = BufferOfThisThread();
    std::lock_guard<std::mutex> lock(buffer.mutex);
    if (CurrentRecording() != recording) return;
    std::vector<TraceEvent>& events = buffer.thread.events;
    if (events.empty()) buffer.thread.name = NameOfThisThread();
    add(buffer, events);
  } catch (const std::exception&) {
    // Out of memory: the event is lost, and the observed work goes on.
  }
}

void Push(std::vector<TraceEvent>& events, TraceEvent event) {
  // Events that do not fit are counted, too.
  if (TheRecorder().events.fetch_add(1, std::memory_order_relaxed) <
      static_cast<int64_t>(kMaxTraceEvents)) {
    events.push_back(std::move(event));
  }
}

}  // namespace

int64_t TraceClock() {
  return std::chrono::steady_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

bool StartRecording() {
  Recorder& recorder = TheRecorder();
  std::lock_guard<std::mutex> lock(recorder.mutex);
  if (CurrentRecording()) return false;
  recorder.events.store(0, std::memory_order_relaxed);
  recorder.trace = {};
  recorder.trace.begin = TraceClock();
  recorder.trace.wall_begin =
      std::chrono::system_clock::now().time_since_epoch() /
      std::chrono::nanoseconds(1);
  if (++recorder.last_recording == 0) ++recorder.last_recording;
  trace::recording.store(recorder.last_recording, std::memory_order_relaxed);
  return true;
}

Trace StopRecording() {
  Recorder& recorder = TheRecorder();
  std::lock_guard<std::mutex> lock(recorder.mutex);
  trace::recording.store(0, std::memory_order_relaxed);
  Trace trace = std::move(recorder.trace);
  int64_t kept = 0;
  for (const auto& buffer : recorder.buffers) {
    std::lock_guard<std::mutex> buffer_lock(buffer->mutex);
    auto events = std::exchange(buffer->thread.events, {});
    if (events.empty()) continue;
    kept += static_cast<int64_t>(events.size());
    trace.threads.push_back(
        {buffer->thread.id, buffer->thread.name, std::move(events)});
  }
  trace.dropped = recorder.events.load(std::memory_order_relaxed) - kept;
  // The threads of the other buffers are gone.
  std::erase_if(recorder.buffers,
                [](const auto& buffer) { return buffer.use_count() == 1; });
  return trace;
}

void Record(uint32_t recording, TraceEvent event) noexcept {
  Append(recording, [&](ThreadBuffer&, std::vector<TraceEvent>& events) {
    Push(events, std::move(event));
  });
}

void RecordWorkgroup(uint32_t recording, const TraceName& kernel,
                     int64_t workgroup, int64_t begin) noexcept {
  const int64_t end = TraceClock();
  Append(recording, [&](ThreadBuffer& buffer, std::vector<TraceEvent>& events) {
    const int64_t last = buffer.last_workgroup;
    buffer.last_workgroup = workgroup;
    if (!events.empty()) {
      TraceEvent& event = events.back();
      if (event.kind == TraceKind::kKernel && event.name == kernel &&
          workgroup > last && begin - event.end < kWorkgroupGap) {
        event.end = end;
        ++event.workgroups;
        return;
      }
    }
    TraceEvent event{TraceKind::kKernel, nullptr, kernel, begin, end};
    event.workgroups = 1;
    Push(events, std::move(event));
  });
}

}  // namespace iree_pjrt
