// SPDX-License-Identifier: Apache-2.0
// The library for NVIDIA GPUs as far as it goes without one: what it says where
// none is, and what it compiles. A fake libcuda.so.1 (fake_cuda.cc) is found in
// the place of the driver.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "plugin_library.h"

namespace iree_pjrt_test {
namespace {

constexpr char kProgram[] = R"(
module @f {
  func.func public @main(%x: tensor<64x32xf32>, %y: tensor<32x16xf32>)
      -> tensor<64x16xf32> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
        : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
    %1 = stablehlo.tanh %0 : tensor<64x16xf32>
    return %1 : tensor<64x16xf32>
  }
})";

PJRT_NamedValue Text(const char* name, const std::string& text) {
  PJRT_NamedValue value{};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name;
  value.name_size = std::strlen(name);
  value.type = PJRT_NamedValue_kString;
  value.string_value = text.data();
  value.value_size = text.size();
  return value;
}

Failure CreateClient(std::vector<PJRT_NamedValue> options = {}) {
  auto args = New<PJRT_Client_Create_Args>();
  args.create_options = options.data();
  args.num_options = options.size();
  return ToFailure(Api().PJRT_Client_Create(&args));
}

PJRT_TopologyDescription* Topology(const std::string& name,
                                   Failure* failure = nullptr) {
  auto args = New<PJRT_TopologyDescription_Create_Args>();
  args.topology_name = name.data();
  args.topology_name_size = name.size();
  const Failure found = ToFailure(Api().PJRT_TopologyDescription_Create(&args));
  if (failure) {
    *failure = found;
  } else {
    EXPECT_FALSE(found) << found.message;
  }
  return found ? nullptr : args.topology;
}

void Destroy(PJRT_TopologyDescription* topology) {
  auto args = New<PJRT_TopologyDescription_Destroy_Args>();
  args.topology = topology;
  ExpectOk(Api().PJRT_TopologyDescription_Destroy(&args));
}

std::string KindOfDevice(PJRT_TopologyDescription* topology) {
  auto list = New<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
  list.topology = topology;
  ExpectOk(Api().PJRT_TopologyDescription_GetDeviceDescriptions(&list));
  auto kind = New<PJRT_DeviceDescription_Kind_Args>();
  kind.device_description = list.descriptions[0];
  ExpectOk(Api().PJRT_DeviceDescription_Kind(&kind));
  return {kind.device_kind, kind.device_kind_size};
}

// Compiles the program; returns the serialized executable.
std::string CompileFor(PJRT_TopologyDescription* topology) {
  std::string code = kProgram;
  PJRT_Program program = MlirProgram(code);
  auto compile = New<PJRT_Compile_Args>();
  compile.topology = topology;
  compile.program = &program;
  const Failure failure = ToFailure(Api().PJRT_Compile(&compile));
  EXPECT_FALSE(failure) << failure.message;
  if (failure) return "";
  auto serialize = New<PJRT_Executable_Serialize_Args>();
  serialize.executable = compile.executable;
  ExpectOk(Api().PJRT_Executable_Serialize(&serialize));
  std::string bytes(serialize.serialized_bytes,
                    serialize.serialized_bytes_size);
  serialize.serialized_executable_deleter(serialize.serialized_executable);
  auto destroy = New<PJRT_Executable_Destroy_Args>();
  destroy.executable = compile.executable;
  ExpectOk(Api().PJRT_Executable_Destroy(&destroy));
  return bytes;
}

class CudaTest : public testing::Test {
 protected:
  void SetUp() override { setenv("IREE_PJRT_CACHE_SIZE", "0", 1); }
};

TEST_F(CudaTest, SaysThatThereIsNoGpu) {
  setenv("FAKE_CUDA_INIT", "100", 1);
  const Failure failure = CreateClient();
  EXPECT_EQ(failure.code, PJRT_Error_Code_FAILED_PRECONDITION);
  EXPECT_EQ(failure.message,
            "iree_cuda looked for libcuda.so.1, a driver for CUDA 11.3 or "
            "newer and GPU 0; found libcuda.so.1 for CUDA 12.4, where cuInit "
            "says CUDA_ERROR_NO_DEVICE");
}

TEST_F(CudaTest, SaysThatTheDriverIsTooOld) {
  setenv("FAKE_CUDA_VERSION", "10020", 1);
  const Failure failure = CreateClient();
  EXPECT_EQ(failure.code, PJRT_Error_Code_FAILED_PRECONDITION);
  EXPECT_TRUE(failure.message.ends_with("found libcuda.so.1 for CUDA 10.2"))
      << failure.message;
}

TEST_F(CudaTest, SaysWhichGpuIsNotThere) {
  setenv("FAKE_CUDA_GPUS", "2", 1);
  setenv("IREE_PJRT_CUDA_DEVICE", "2", 1);
  const Failure failure = CreateClient();
  EXPECT_TRUE(failure.message.find("and GPU 2; found libcuda.so.1 for CUDA "
                                   "12.4, with 2 GPU(s)") != std::string::npos)
      << failure.message;
}

// The fake has nothing to open a GPU with.
TEST_F(CudaTest, AnIncompleteDriverIsAnError) {
  const Failure failure = CreateClient();
  EXPECT_TRUE(failure.message.starts_with("opening the CUDA driver"))
      << failure.message;
}

TEST_F(CudaTest, AnOldGpuIsRefused) {
  setenv("FAKE_CUDA_CAPABILITY", "52", 1);
  const Failure failure = CreateClient();
  EXPECT_EQ(failure.message,
            "Fake GPU has compute capability 5.2; the oldest that programs are "
            "compiled for is 6.0");
}

TEST_F(CudaTest, OptionsAreChecked) {
  EXPECT_EQ(CreateClient({Text("command_buffers", "tape")}).message,
            "client option 'command_buffers' is 'tape'; allowed are graph, "
            "stream");
  EXPECT_EQ(CreateClient({Text("device_ordinal", "one")}).message,
            "client option 'device_ordinal' is 'one'; it must be a number, "
            "from 0");
  EXPECT_NE(
      CreateClient({Text("device_ordinal", "1")}).message.find("GPU 1; found"),
      std::string::npos);
  EXPECT_NE(
      CreateClient({Text("no_such", "")}).message.find("'pinned_staging_size'"),
      std::string::npos);
  setenv("IREE_PJRT_CUDA_ASYNC_ALLOCATION", "yes", 1);
  EXPECT_EQ(CreateClient().message,
            "IREE_PJRT_CUDA_ASYNC_ALLOCATION is 'yes'; allowed are 0, 1");
}

TEST_F(CudaTest, ATopologyTakesItsTargetFromTheGpu) {
  for (const auto& [capability, target] :
       {std::pair("90", "sm_90"), {"100", "sm_90"}, {"75", "sm_75"}}) {
    setenv("FAKE_CUDA_CAPABILITY", capability, 1);
    PJRT_TopologyDescription* topology = Topology("");
    auto serialize = New<PJRT_TopologyDescription_Serialize_Args>();
    serialize.topology = topology;
    ExpectOk(Api().PJRT_TopologyDescription_Serialize(&serialize));
    const std::string bytes(serialize.serialized_bytes,
                            serialize.serialized_bytes_size);
    EXPECT_NE(bytes.find(std::string(" for=") + target + " "),
              std::string::npos)
        << bytes;
    serialize.serialized_topology_deleter(serialize.serialized_topology);
    Destroy(topology);
  }
}

TEST_F(CudaTest, ATopologyWithoutGpuWantsAName) {
  setenv("FAKE_CUDA_INIT", "100", 1);
  Failure failure;
  Topology("", &failure);
  EXPECT_TRUE(failure.message.starts_with("nothing says what to compile for"))
      << failure.message;
  Topology("sm_1", &failure);
  EXPECT_EQ(failure.message,
            "the target 'sm_1' is not known; known are sm_60, sm_70, sm_75, "
            "sm_80, sm_86, sm_89, sm_90");
}

class PtxTest : public CudaTest,
                public testing::WithParamInterface<const char*> {};

TEST_P(PtxTest, IsInTheSerializedExecutable) {
  setenv("FAKE_CUDA_INIT", "100", 1);
  const std::string target = GetParam();
  PJRT_TopologyDescription* topology = Topology(target);
  ASSERT_NE(topology, nullptr);
  EXPECT_EQ(KindOfDevice(topology), target);
  const std::string bytes = CompileFor(topology);
  const size_t begin = bytes.find("// Generated by LLVM NVPTX Back-End");
  ASSERT_NE(begin, std::string::npos);
  const std::string ptx = bytes.c_str() + begin;
  EXPECT_NE(ptx.find("\n.target " + target + "\n"), std::string::npos);
  EXPECT_NE(ptx.find("\n.visible .entry main_dispatch_0"), std::string::npos);
  EXPECT_NE(ptx.find("ret;"), std::string::npos);
  Destroy(topology);
}

INSTANTIATE_TEST_SUITE_P(Targets, PtxTest,
                         testing::Values("sm_60", "sm_75", "sm_80", "sm_86",
                                         "sm_89", "sm_90"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace iree_pjrt_test
