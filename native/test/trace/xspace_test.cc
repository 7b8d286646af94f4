// SPDX-License-Identifier: Apache-2.0
#include "trace/xspace.h"

#include "gtest/gtest.h"
#include "trace/trace_name.h"
#include "xspace_reader.h"

namespace iree_pjrt {
namespace {

using iree_pjrt_test::ReadSpace;

TEST(XSpaceTest, EventsWithTheirStatistics) {
  Trace trace;
  trace.wall_begin = 1'700'000'000'000'000'000;
  trace.begin = 1000;
  trace.dropped = 3;
  TraceEvent kernel{TraceKind::kKernel, nullptr, Name("add_f32"), 1010, 1030};
  kernel.workgroups = 7;
  TraceEvent transfer{TraceKind::kTransfer, "HostToDevice", nullptr, 1040,
                      1041};
  transfer.bytes = 0;
  trace.threads.push_back({12, "python", {kernel, transfer}});
  trace.threads.push_back(
      {13, "", {{TraceKind::kExecute, "Execute", Name("jit_f"), 1005, 1050}}});

  const auto plane = ReadSpace(SerializeXSpace(trace));
  EXPECT_EQ(plane.name, "/device:CUSTOM:iree_cpu");
  EXPECT_EQ(plane.stats.at("dropped_events"), "3");
  EXPECT_EQ(plane.line_begins_ns, (std::vector<int64_t>(2, trace.wall_begin)));
  ASSERT_EQ(plane.events.size(), 3u);
  EXPECT_EQ(plane.events[0].line, "python/12");
  EXPECT_EQ(plane.events[0].name, "add_f32");
  EXPECT_EQ(plane.events[0].begin_ps, 10'000);
  EXPECT_EQ(plane.events[0].duration_ps, 20'000);
  EXPECT_EQ(plane.events[0].stats,
            (std::map<std::string, std::string>{{"kind", "kernel"},
                                                {"workgroups", "7"}}));
  EXPECT_EQ(plane.events[1].stats, (std::map<std::string, std::string>{
                                       {"kind", "transfer"}, {"bytes", "0"}}));
  EXPECT_EQ(plane.events[2].name, "Execute jit_f");
  EXPECT_EQ(plane.events[2].stats,
            (std::map<std::string, std::string>{{"kind", "execute"},
                                                {"module", "jit_f"}}));
}

TEST(XSpaceTest, AnEmptyRecordingIsAPlaneWithoutLines) {
  const auto plane = ReadSpace(SerializeXSpace({}));
  EXPECT_EQ(plane.stats.at("dropped_events"), "0");
  EXPECT_TRUE(plane.events.empty());
}

}  // namespace
}  // namespace iree_pjrt
