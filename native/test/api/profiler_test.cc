// SPDX-License-Identifier: Apache-2.0
// The profiler extension of the built plugin, as a framework uses it.
#include "gtest/gtest.h"
#include "plugin_library.h"
#include "xla/pjrt/c/pjrt_c_api_profiler_extension.h"
#include "xspace_reader.h"

namespace iree_pjrt_test {
namespace {

const PLUGIN_Profiler_Api& Profilers() {
  const PJRT_Extension_Base* extension = Api().extension_start;
  while (extension && extension->type != PJRT_Extension_Type_Profiler) {
    extension = extension->next;
  }
  if (!extension) throw std::logic_error("there is no profiler extension");
  return *reinterpret_cast<const PJRT_Profiler_Extension*>(extension)
              ->profiler_api;
}

// The code of an error, 0 if there is none; its message goes into `message`.
int CodeOf(PLUGIN_Profiler_Error* error, std::string* message = nullptr) {
  if (!error) return 0;
  auto code = New<PLUGIN_Profiler_Error_GetCode_Args>();
  code.error = error;
  EXPECT_EQ(Profilers().error_get_code(&code), nullptr);
  auto text = New<PLUGIN_Profiler_Error_Message_Args>();
  text.error = error;
  Profilers().error_message(&text);
  EXPECT_GT(text.message_size, 0u);
  if (message) message->assign(text.message, text.message_size);
  auto destroy = New<PLUGIN_Profiler_Error_Destroy_Args>();
  destroy.error = error;
  Profilers().error_destroy(&destroy);
  return code.code;
}

class Profiler {
 public:
  explicit Profiler(const std::string& options = "") {
    auto args = New<PLUGIN_Profiler_Create_Args>();
    args.options = options.data();
    args.options_size = options.size();
    EXPECT_EQ(CodeOf(Profilers().create(&args)), 0);
    profiler_ = args.profiler;
  }
  ~Profiler() {
    auto args = New<PLUGIN_Profiler_Destroy_Args>();
    args.profiler = profiler_;
    EXPECT_EQ(CodeOf(Profilers().destroy(&args)), 0);
  }
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  int Start(std::string* message = nullptr) {
    auto args = New<PLUGIN_Profiler_Start_Args>();
    args.profiler = profiler_;
    return CodeOf(Profilers().start(&args), message);
  }
  int Stop() {
    auto args = New<PLUGIN_Profiler_Stop_Args>();
    args.profiler = profiler_;
    return CodeOf(Profilers().stop(&args));
  }
  // XLA sets only the profiler and the null buffer.
  int Collect(std::string* space) {
    PLUGIN_Profiler_CollectData_Args args;
    args.profiler = profiler_;
    args.buffer = nullptr;
    if (const int code = CodeOf(Profilers().collect_data(&args))) return code;
    space->assign(reinterpret_cast<const char*>(args.buffer),
                  args.buffer_size_in_bytes);
    // The header says: a second call, with memory of the caller's.
    std::string copy(args.buffer_size_in_bytes, '\0');
    args.buffer = reinterpret_cast<uint8_t*>(copy.data());
    EXPECT_EQ(CodeOf(Profilers().collect_data(&args)), 0);
    EXPECT_EQ(args.buffer_size_in_bytes, copy.size());
    EXPECT_EQ(copy, *space);
    return 0;
  }
  SpacePlane Plane() {
    std::string space;
    EXPECT_EQ(Collect(&space), 0);
    return ReadSpace(space);
  }

 private:
  PLUGIN_Profiler* profiler_;
};

PJRT_Buffer* FourFloats() {
  static constexpr float kData[] = {1, 2, 3, 4};
  return ToDevice(kData, {PJRT_Buffer_Type_F32, {4}, {}});
}

constexpr char kProgram[] = R"(
  module @traced {
    func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %a, %a : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  })";

TEST(ProfilerTest, SpansOfAllKinds) {
  Profiler profiler;
  ASSERT_EQ(profiler.Start(), 0);
  PJRT_LoadedExecutable* executable = Compile(kProgram);
  PJRT_Buffer* input = FourFloats();
  const auto outputs = Execute(executable, {input}, 1);
  EXPECT_EQ(Floats(ToHost(outputs[0])), (std::vector<float>{2, 4, 6, 8}));
  ASSERT_EQ(profiler.Stop(), 0);
  const SpacePlane plane = profiler.Plane();
  EXPECT_GT(plane.Count("compile"), 1u);
  EXPECT_EQ(plane.Count("dispatch"), 1u);
  EXPECT_EQ(plane.Count("execute"), 1u);
  EXPECT_GE(plane.Count("kernel"), 1u);
  EXPECT_EQ(plane.Count("transfer"), 2u);
  size_t bytes = 0;
  for (const SpaceEvent& event : plane.events) {
    if (event.stats.at("kind") == "dispatch") {
      EXPECT_EQ(event.name, "Dispatch traced");
    }
    if (event.stats.at("kind") == "transfer") {
      bytes += std::stoul(event.stats.at("bytes"));
    }
  }
  EXPECT_EQ(bytes, 32u);
  Destroy(outputs[0]);
  Destroy(input);
  Destroy(executable);
}

TEST(ProfilerTest, NothingIsRecordedBeforeStartAndAfterStop) {
  Profiler profiler;
  Destroy(FourFloats());
  ASSERT_EQ(profiler.Start(), 0);
  ASSERT_EQ(profiler.Stop(), 0);
  Destroy(FourFloats());
  EXPECT_TRUE(profiler.Plane().events.empty());
}

TEST(ProfilerTest, StartedTwiceIsStartedOnce) {
  Profiler profiler;
  ASSERT_EQ(profiler.Start(), 0);
  Destroy(FourFloats());
  ASSERT_EQ(profiler.Start(), 0);
  ASSERT_EQ(profiler.Stop(), 0);
  ASSERT_EQ(profiler.Stop(), 0);
  EXPECT_EQ(profiler.Plane().Count("transfer"), 1u);
  // A new recording begins empty.
  ASSERT_EQ(profiler.Start(), 0);
  ASSERT_EQ(profiler.Stop(), 0);
  EXPECT_EQ(profiler.Plane().Count("transfer"), 0u);
}

TEST(ProfilerTest, OneRecordsAtATime) {
  Profiler second;
  {
    Profiler first;
    ASSERT_EQ(first.Start(), 0);
    std::string message;
    EXPECT_EQ(second.Start(&message), PJRT_Error_Code_FAILED_PRECONDITION);
    EXPECT_NE(message.find("another profiler"), std::string::npos) << message;
    std::string space;
    EXPECT_EQ(first.Collect(&space), PJRT_Error_Code_FAILED_PRECONDITION);
  }
  // The last profiler was destroyed while it recorded: the next one may record.
  EXPECT_EQ(second.Start(), 0);
  EXPECT_EQ(second.Stop(), 0);
}

TEST(ProfilerTest, NoDataWithoutARecording) {
  Profiler profiler;
  std::string space = "?";
  EXPECT_EQ(profiler.Collect(&space), 0);
  EXPECT_TRUE(space.empty());
}

TEST(ProfilerTest, OptionsMayTurnItOff) {
  // ProfileOptions: version 1, with and without device_tracer_level 1.
  for (const bool wanted : {true, false}) {
    Profiler profiler(wanted ? std::string("\x28\x01\x18\x01")
                             : std::string("\x28\x01"));
    ASSERT_EQ(profiler.Start(), 0);
    Destroy(FourFloats());
    ASSERT_EQ(profiler.Stop(), 0);
    std::string space;
    ASSERT_EQ(profiler.Collect(&space), 0);
    EXPECT_EQ(!space.empty(), wanted);
  }
}

TEST(ProfilerTest, DamagedOptionsAndNullProfilersAreErrors) {
  auto create = New<PLUGIN_Profiler_Create_Args>();
  create.options = "\xff";
  create.options_size = 1;
  EXPECT_EQ(CodeOf(Profilers().create(&create)),
            PJRT_Error_Code_INVALID_ARGUMENT);
  auto start = New<PLUGIN_Profiler_Start_Args>();
  EXPECT_EQ(CodeOf(Profilers().start(&start)),
            PJRT_Error_Code_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace iree_pjrt_test
