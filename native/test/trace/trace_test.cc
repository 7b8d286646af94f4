// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.h"

#include <pthread.h>

#include <thread>

#include "gtest/gtest.h"
#include "trace/trace_name.h"

namespace iree_pjrt {
namespace {

size_t EventsOf(const Trace& trace) {
  size_t count = 0;
  for (const TraceThread& thread : trace.threads) count += thread.events.size();
  return count;
}

TEST(TraceTest, NothingIsRecordedWhileNobodyAsks) {
  {
    TraceSpan span(TraceKind::kCompile, "before");
    EXPECT_FALSE(span.on());
  }
  ASSERT_TRUE(StartRecording());
  const Trace trace = StopRecording();
  EXPECT_TRUE(trace.threads.empty());
  EXPECT_EQ(trace.dropped, 0);
}

TEST(TraceTest, SpansSayWhatTheyAre) {
  ASSERT_TRUE(StartRecording());
  {
    TraceSpan outer(TraceKind::kDispatch, "Dispatch");
    outer.set_name(Name("f"));
    TraceSpan inner(TraceKind::kTransfer, "HostToDevice");
    inner.set_bytes(24);
  }
  const Trace trace = StopRecording();
  ASSERT_EQ(trace.threads.size(), 1u);
  const auto& events = trace.threads[0].events;
  ASSERT_EQ(events.size(), 2u);
  EXPECT_STREQ(events[0].what, "HostToDevice");
  EXPECT_EQ(events[0].bytes, 24);
  EXPECT_EQ(*events[1].name, "f");
  EXPECT_EQ(events[1].bytes, -1);
  EXPECT_LE(trace.begin, events[1].begin);
  EXPECT_LE(events[1].begin, events[0].begin);
  EXPECT_LE(events[0].end, events[1].end);
}

TEST(TraceTest, OneRecordingAtATime) {
  ASSERT_TRUE(StartRecording());
  EXPECT_FALSE(StartRecording());
  StopRecording();
  ASSERT_TRUE(StartRecording());
  StopRecording();
}

TEST(TraceTest, SpansOfAnotherRecordingAreLeftOut) {
  ASSERT_TRUE(StartRecording());
  {
    TraceSpan span(TraceKind::kCompile, "ends too late");
    StopRecording();
    ASSERT_TRUE(StartRecording());
  }
  EXPECT_EQ(EventsOf(StopRecording()), 0u);
}

TEST(TraceTest, ThreadsRecordSideBySideAndMayEnd) {
  constexpr int kThreads = 8;
  constexpr int kSpans = 1000;
  ASSERT_TRUE(StartRecording());
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([] {
      pthread_setname_np(pthread_self(), "recorder");
      for (int k = 0; k < kSpans; ++k) {
        TraceSpan span(TraceKind::kExecute, "Execute");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Trace trace = StopRecording();
  ASSERT_EQ(trace.threads.size(), size_t{kThreads});
  for (const TraceThread& thread : trace.threads) {
    EXPECT_EQ(thread.events.size(), size_t{kSpans});
    EXPECT_EQ(thread.name, "recorder");
  }
  ASSERT_TRUE(StartRecording());
  EXPECT_TRUE(StopRecording().threads.empty());
}

TEST(TraceTest, ThreadsRecordWhileARecordingEnds) {
  std::atomic<bool> done{false};
  std::thread thread([&] {
    while (!done) TraceSpan span(TraceKind::kExecute, "Execute");
  });
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(StartRecording());
    const Trace trace = StopRecording();
    for (const TraceThread& recorded : trace.threads) {
      for (const TraceEvent& event : recorded.events) {
        EXPECT_GE(event.begin, trace.begin);
      }
    }
  }
  done = true;
  thread.join();
}

TEST(TraceTest, BoundedAndCounted) {
  ASSERT_TRUE(StartRecording());
  const uint32_t recording = CurrentRecording();
  for (size_t i = 0; i < kMaxTraceEvents + 5; ++i) {
    Record(recording, {TraceKind::kExecute, "Execute", nullptr, 0, 1});
  }
  const Trace trace = StopRecording();
  EXPECT_EQ(EventsOf(trace), kMaxTraceEvents);
  EXPECT_EQ(trace.dropped, 5);
}

TEST(TraceTest, WorkgroupsOfADispatchAreOneEvent) {
  const TraceName kernel = Name("matmul");
  ASSERT_TRUE(StartRecording());
  const uint32_t recording = CurrentRecording();
  const int64_t begin = TraceClock();
  // However slow the machine is, no time lies between two of the workgroups.
  for (int64_t i = 0; i < 4; ++i) {
    RecordWorkgroup(recording, kernel, i, begin);
  }
  RecordWorkgroup(recording, kernel, 0, begin);         // once more
  RecordWorkgroup(recording, Name("other"), 1, begin);  // another kernel
  RecordWorkgroup(recording, kernel, 2, TraceClock() + 1'000'000);  // later
  const Trace trace = StopRecording();
  ASSERT_EQ(trace.threads.size(), 1u);
  std::vector<int64_t> workgroups;
  for (const TraceEvent& event : trace.threads[0].events) {
    EXPECT_EQ(event.kind, TraceKind::kKernel);
    workgroups.push_back(event.workgroups);
  }
  EXPECT_EQ(workgroups, (std::vector<int64_t>{4, 1, 1, 1}));
}

}  // namespace
}  // namespace iree_pjrt
