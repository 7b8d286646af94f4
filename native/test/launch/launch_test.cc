// SPDX-License-Identifier: Apache-2.0
// Launches on several devices at a time: each device has a queue of its own,
// and no order of launches makes them wait for each other.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

#include "device_client.h"
#include "ffi/abi.h"

namespace iree_pjrt_test {
namespace {

constexpr char kAddOne[] = R"(
module @add_one {
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<1.0> : tensor<2xf32>
    %0 = stablehlo.add %a, %c : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})";

// The program reads the first argument, and only waits for the second.
constexpr char kAddOneAfter[] = R"(
module @add_one_after {
  func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<1.0> : tensor<2xf32>
    %0 = stablehlo.add %a, %c : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})";

// Each device adds one to what it has, and passes it on to the next.
constexpr char kRotate[] = R"(// partitioned
module @rotate attributes {
    iree_pjrt.arguments = "0 1", iree_pjrt.results = "1 0"} {
  func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %c = stablehlo.constant dense<1.0> : tensor<2xf32>
    %0 = stablehlo.add %a, %c : tensor<2xf32>
    %1 = stablehlo.add %b, %c : tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
})";

// A custom call, so that it is always queued.
constexpr char kAsk[] = R"(
module @ask {
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @launch_test_ask(%a) {api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})";

using Values = std::vector<float>;

// What the handler does with its two floats, on the device of this number.
std::function<void(const float* in, float* out, int32_t device)> handler;

XLA_FFI_Error* Answer(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start) {
    auto* extension =
        reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
    extension->metadata->api_version.major_version = 0;
    extension->metadata->api_version.minor_version = 3;
    return nullptr;
  }
  XLA_FFI_DeviceOrdinal_Get_Args ordinal{};
  ordinal.struct_size = XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE;
  ordinal.ctx = frame->ctx;
  if (auto* error = frame->api->XLA_FFI_DeviceOrdinal_Get(&ordinal)) {
    return error;
  }
  const auto* in = static_cast<const XLA_FFI_Buffer*>(frame->args.args[0]);
  auto* out = static_cast<XLA_FFI_Buffer*>(frame->rets.rets[0]);
  handler(static_cast<const float*>(in->data), static_cast<float*>(out->data),
          ordinal.device_ordinal);
  return nullptr;
}

void RegisterHandler(std::string_view name = "launch_test_ask") {
  void* library = dlopen(IREE_PJRT_PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
  const auto* api = reinterpret_cast<const XLA_FFI_Api* (*)()>(
      dlsym(library, "XLA_FFI_GetApi"))();
  constexpr std::string_view kPlatform = "iree_cpu";
  XLA_FFI_Handler_Register_Args args{};
  args.struct_size = XLA_FFI_Handler_Register_Args_STRUCT_SIZE;
  args.name = {name.data(), name.size()};
  args.platform = {kPlatform.data(), kPlatform.size()};
  args.bundle.execute = &Answer;
  ASSERT_EQ(api->XLA_FFI_Handler_Register(&args), nullptr);
}

// Ends the process if it takes longer: a launch that hangs cannot be ended.
class TimeLimit {
 public:
  explicit TimeLimit(std::chrono::seconds limit)
      : thread_([this, limit] {
          std::unique_lock<std::mutex> lock(mutex_);
          if (done_.wait_for(lock, limit, [this] { return is_done_; })) return;
          std::fprintf(stderr, "not done after %d s\n",
                       static_cast<int>(limit.count()));
          std::abort();
        }) {}
  ~TimeLimit() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      is_done_ = true;
    }
    done_.notify_one();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::thread thread_;
};

PJRT_Buffer* LaunchOne(PJRT_LoadedExecutable* executable,
                       std::vector<PJRT_Buffer*> arguments,
                       PJRT_Device* device = nullptr) {
  const auto results = Launch(executable, {std::move(arguments)}, 1, nullptr,
                              {.device = device});
  return results.empty() ? nullptr : results[0][0];
}

TEST(LaunchTest, OneDeviceDoesNotHoldUpAnother) {
  const TimeLimit limit(std::chrono::seconds(60));
  const DeviceClient client(2);
  auto* first = client.Compile(kAddOne, {.device_ids = {0}});
  auto* second = client.Compile(kAddOne, {.device_ids = {1}});
  const Promise late = client.MakePromise(2, 0);
  const Promise soon = client.MakePromise(2, 1);
  PJRT_Buffer* source = client.Put({1, 2}, 0);
  PJRT_Buffer* waiting = LaunchOne(first, {late.buffer});
  PJRT_Buffer* running = LaunchOne(second, {soon.buffer});
  client.Fulfill(soon, source);
  EXPECT_EQ(Floats(ToHost(running)), (Values{2, 3}));
  client.Fulfill(late, source);
  EXPECT_EQ(Floats(ToHost(waiting)), (Values{2, 3}));
  Destroy({{late.buffer, soon.buffer, source, waiting, running}});
  Destroy(first);
  Destroy(second);
}

TEST(LaunchTest, HandlersMayLaunchOnAnyDevice) {
  const TimeLimit limit(std::chrono::seconds(60));
  RegisterHandler();
  const DeviceClient client(2);
  auto* ask = client.Compile(kAsk, {.device_ids = {1}});
  auto* own = client.Compile(kAsk, {.device_ids = {1}});
  auto* other = client.Compile(kAsk, {.device_ids = {0}});
  ASSERT_TRUE(ask && own && other);
  std::atomic<int> depth = 0;
  handler = [&](const float* in, float* out, int32_t) {
    Values values(in, in + 2);
    if (depth++ == 0) {
      for (const auto& [program, device] :
           {std::pair(own, size_t{1}), std::pair(other, size_t{0})}) {
        PJRT_Buffer* argument = client.Put(values, device);
        PJRT_Buffer* result = LaunchOne(program, {argument});
        values = Floats(ToHost(result));
        Destroy({{argument, result}});
      }
    }
    out[0] = values[0] + 1;
    out[1] = values[1] + 1;
  };
  PJRT_Buffer* argument = client.Put({1, 2}, 1);
  PJRT_Buffer* result = LaunchOne(ask, {argument});
  EXPECT_EQ(Floats(ToHost(result)), (Values{4, 5}));
  EXPECT_EQ(depth, 3);
  handler = nullptr;
  Destroy({{argument, result}});
  for (auto* executable : {ask, own, other}) Destroy(executable);
}

TEST(LaunchTest, BriefHandlersThatOnlyComputeRunOnTheCallingThread) {
  RegisterHandler("lapack_launch_test");
  const DeviceClient client(1);
  std::string program = kAsk;
  program.replace(program.find("launch_test_ask"), 15, "lapack_launch_test");
  auto* ask = client.Compile(program, {.device_ids = {0}});
  ASSERT_NE(ask, nullptr);
  std::thread::id thread;
  handler = [&](const float* in, float* out, int32_t) {
    std::copy(in, in + 2, out);
    thread = std::this_thread::get_id();
  };
  PJRT_Buffer* argument = client.Put({1, 2}, 0);
  const auto runs_here = [&] {
    PJRT_Buffer* result = LaunchOne(ask, {argument});
    EXPECT_EQ(Floats(ToHost(result)), (Values{1, 2}));
    Destroy(result);
    return thread == std::this_thread::get_id();
  };
  EXPECT_FALSE(runs_here()) << "how long it takes was not known";
  bool here = false;
  for (int i = 0; i < 1000 && !here; ++i) here = runs_here();
  EXPECT_TRUE(here);
  handler = nullptr;
  Destroy(argument);
  Destroy(ask);
}

TEST(LaunchTest, PortableProgramsRunOnAnyDevice) {
  RegisterHandler();
  const DeviceClient client(3);
  auto* add = client.Compile(kAddOne, {.portable = true});
  auto* ask = client.Compile(kAsk, {.portable = true});
  ASSERT_TRUE(add && ask);
  handler = [&](const float*, float* out, int32_t device) {
    out[0] = out[1] = static_cast<float>(device);
  };
  for (const size_t at : {2, 0, 1}) {
    PJRT_Device* device = client.devices()[at];
    PJRT_Buffer* argument = client.Put({1, 2}, at);
    PJRT_Buffer* result = LaunchOne(add, {argument}, device);
    PJRT_Buffer* answer = LaunchOne(ask, {argument}, device);
    EXPECT_EQ(DeviceOf(result), device);
    EXPECT_EQ(Floats(ToHost(result)), (Values{2, 3}));
    const auto number = static_cast<float>(at);
    EXPECT_EQ(Floats(ToHost(answer)), (Values{number, number}));
    Destroy({{argument, result, answer}});
  }
  handler = nullptr;
  const DeviceClient stranger(1);
  PJRT_Buffer* argument = client.Put({1, 2}, 0);
  Failure failure;
  EXPECT_TRUE(
      Launch(add, {{argument}}, 1, &failure, {.device = stranger.devices()[0]})
          .empty());
  EXPECT_EQ(failure.message,
            "execute_device is not one the program is loaded for");
  Destroy(argument);
  Destroy(add);
  Destroy(ask);
}

TEST(LaunchTest, OtherProgramsRunWhereTheyAreLoaded) {
  const DeviceClient client(2);
  auto* executable = client.Compile(kAddOne, {.device_ids = {1}});
  ASSERT_NE(executable, nullptr);
  PJRT_Buffer* argument = client.Put({1, 2}, 1);
  PJRT_Buffer* result = LaunchOne(executable, {argument}, client.devices()[1]);
  EXPECT_EQ(DeviceOf(result), client.devices()[1]);
  Failure failure;
  EXPECT_TRUE(Launch(executable, {{argument}}, 1, &failure,
                     {.device = client.devices()[0]})
                  .empty());
  EXPECT_EQ(failure.code, PJRT_Error_Code_INVALID_ARGUMENT);
  Destroy({{argument, result}});
  Destroy(executable);
}

constexpr size_t kDevices = 4;
constexpr int kThreads = 8;
constexpr int kRounds = 25;
constexpr int kStepsOfRound = 50;

// The programs that the threads run, over one device and over each pair in both
// orders.
struct Programs {
  explicit Programs(const DeviceClient& client) {
    for (int64_t i = 0; i < int64_t{kDevices}; ++i) {
      single.push_back(client.Compile(kAddOneAfter, {.device_ids = {i}}));
      for (int64_t k = 0; k < int64_t{kDevices}; ++k) {
        pairs.push_back(i == k
                            ? nullptr
                            : client.Compile(kRotate, {.replicas = 2,
                                                       .device_ids = {i, k}}));
      }
    }
  }
  ~Programs() {
    for (auto* executable : single) Destroy(executable);
    for (auto* executable : pairs) {
      if (executable) Destroy(executable);
    }
  }
  std::vector<PJRT_LoadedExecutable*> single;
  std::vector<PJRT_LoadedExecutable*> pairs;  // [first * kDevices + second]
};

// The latest results of the threads on each device: the launches of other
// threads wait for these.
class Latest {
 public:
  explicit Latest(const DeviceClient& client) {
    for (size_t i = 0; i < kDevices; ++i) {
      buffers_.push_back(client.Put({0, 0}, i));
    }
  }
  ~Latest() { Destroy({buffers_}); }

  void Set(size_t device, PJRT_Buffer* buffer) {
    PJRT_Buffer* copy = CopyTo(buffer, DeviceOf(buffer));
    std::lock_guard<std::mutex> lock(mutex_);
    Destroy(std::exchange(buffers_[device], copy));
  }
  PJRT_Buffer* Get(size_t device) {
    std::lock_guard<std::mutex> lock(mutex_);
    return CopyTo(buffers_[device], DeviceOf(buffers_[device]));
  }

 private:
  std::mutex mutex_;
  std::vector<PJRT_Buffer*> buffers_;
};

// One array on each device, and the numbers that will be in it once all
// launches are done.
class Worker {
 public:
  Worker(const DeviceClient& client, const Programs& programs, Latest& latest,
         int seed)
      : client_(client), programs_(programs), latest_(latest), random_(seed) {}

  // Launches on arrays that are not there yet, then lets them come.
  void Round() {
    std::vector<Promise> promises;
    for (size_t i = 0; i < kDevices; ++i) {
      promises.push_back(client_.MakePromise(2, i));
      current_.push_back(promises[i].buffer);
      expected_.push_back(static_cast<float>(i));
    }
    for (int step = 0; step < kStepsOfRound; ++step) Step();
    for (size_t i = 0; i < kDevices; ++i) {
      const auto value = static_cast<float>(i);
      PJRT_Buffer* source = client_.Put({value, value}, i);
      client_.Fulfill(promises[i], source);
      Destroy(source);
    }
    for (size_t i = 0; i < kDevices; ++i) {
      EXPECT_EQ(Floats(ToHost(current_[i])),
                (Values{expected_[i], expected_[i]}));
      Destroy(current_[i]);
    }
    current_.clear();
    expected_.clear();
  }

 private:
  void Step() {
    const size_t first = random_() % kDevices;
    const size_t second = random_() % kDevices;
    if (first == second) {
      PJRT_Buffer* other = latest_.Get(first);
      Set(first, LaunchOne(programs_.single[first], {current_[first], other}));
      Destroy(other);
      expected_[first] += 1;
    } else {
      const auto results = Launch(programs_.pairs[first * kDevices + second],
                                  {{current_[first]}, {current_[second]}}, 1);
      ASSERT_EQ(results.size(), 2u);
      Set(first, results[0][0]);
      Set(second, results[1][0]);
      std::swap(expected_[first], expected_[second]);
      expected_[first] += 1;
      expected_[second] += 1;
    }
    latest_.Set(first, current_[first]);
  }

  void Set(size_t device, PJRT_Buffer* buffer) {
    Destroy(std::exchange(current_[device], buffer));
  }

  const DeviceClient& client_;
  const Programs& programs_;
  Latest& latest_;
  std::minstd_rand random_;
  std::vector<PJRT_Buffer*> current_;
  Values expected_;
};

TEST(LaunchTest, TenThousandLaunchesOfEightThreadsEnd) {
  static_assert(kThreads * kRounds * kStepsOfRound == 10'000);
  const TimeLimit limit(std::chrono::seconds(100));
  const DeviceClient client(kDevices);
  const Programs programs(client);
  Latest latest(client);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Worker worker(client, programs, latest, i + 1);
      for (int round = 0; round < kRounds; ++round) worker.Round();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace iree_pjrt_test
