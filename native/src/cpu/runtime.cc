// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.h"

#include <algorithm>
#include <mutex>

#include "base/host_allocator.h"
#include "base/status.h"
#include "cpu/buffer_allocator.h"
#include "cpu/object_loader.h"
#include "iree/hal/local/loaders/embedded_elf_loader.h"
#include "iree/hal/local/loaders/system_library_loader.h"
#include "program/cost.h"
#include "program/options.h"
#include "release/devices.h"

namespace iree_pjrt {
namespace {

// How long a worker looks for more work before it sleeps: bridges the gaps
// between the dispatches of one program, where waking up costs as much.
constexpr iree_duration_t kWorkerSpin = 50'000;  // ns

// As large as the stacks of other threads; only what is touched takes memory.
// IREE's default of 32 KiB is as large as the arrays that its compiler puts on
// the stack.
constexpr iree_host_size_t kWorkerStack = 8 << 20;  // bytes

// The loaders for code from llvm-cpu: objects, which this plugin compiles, and
// embedded ELF files and system libraries, for which users' flags may ask.
struct Loaders {
  static constexpr size_t kCount = 3;
  iree_hal_executable_loader_t* list[kCount] = {};

  Loaders() {
    const iree_allocator_t host = HostAllocator();
    Check(iree_hal_embedded_elf_loader_create(nullptr, host, &list[0]),
          "creating the ELF loader");
    Check(iree_hal_system_library_loader_create(nullptr, host, &list[1]),
          "creating the library loader");
    list[2] = CreateObjectLoader();
  }
  ~Loaders() {
    for (auto* loader : list) iree_hal_executable_loader_release(loader);
  }
  Loaders(const Loaders&) = delete;
  Loaders& operator=(const Loaders&) = delete;
};

}  // namespace

// The workers, made when a program first needs them, and the memory of buffers.
struct Runtime::Family {
  explicit Family(size_t wanted)
      : worker_count(std::min<size_t>(wanted ? wanted : AvailableCores(),
                                      IREE_TASK_EXECUTOR_MAX_WORKER_COUNT)) {}

  void CreateWorkers();

  const size_t worker_count;
  BufferAllocator memory;
  std::mutex mutex;
  TaskExecutor executor;
  Engine parallel;
};

Runtime::Runtime(const ClientOptions& options)
    : family_(std::make_unique<Family>(options.worker_count)),
      instance_(CreateInstance()) {
  BufferAllocator& memory = family_->memory;
  Check(iree_hal_allocator_create_heap(iree_make_cstring_view("local"),
                                       memory.handle(), memory.handle(),
                                       allocator_.out()),
        "creating the allocator");
  Loaders loaders;
  HalDevice device;
  Check(CreateSyncDevice({allocator_.get(), loaders.list, Loaders::kCount},
                         device.out()),
        "creating the device");
  engine_ = MakeEngine(std::move(device));
}

Runtime::~Runtime() = default;

Target Runtime::target() const { return TargetOfTopology({}, ""); }

MemoryStatistics Runtime::memory_statistics() const {
  const auto figures = family_->memory.statistics();
  // The host's memory has no limit of our own.
  return {figures.bytes_in_use, figures.peak_bytes_in_use,
          figures.allocation_count, figures.largest_allocation, std::nullopt};
}

void Runtime::Family::CreateWorkers() {
  iree_task_executor_options_t options;
  iree_task_executor_options_initialize(&options);
  options.worker_spin_ns = kWorkerSpin;
  options.worker_stack_size = kWorkerStack;
  iree_task_topology_t topology;
  iree_task_topology_initialize_from_group_count(worker_count, &topology);
  iree_status_t status = iree_task_executor_create(
      options, &topology, HostAllocator(), executor.out());
  iree_task_topology_deinitialize(&topology);
  Check(status, "creating the worker threads");
}

const Runtime::Engine& Runtime::EngineFor(const Cost& cost) {
  if (family_->worker_count == 1 || !WorthWorkers(cost)) return engine_;
  Engine& parallel = family_->parallel;
  std::lock_guard<std::mutex> lock(family_->mutex);
  if (!parallel.device) {
    family_->CreateWorkers();
    Loaders loaders;
    HalDevice device;
    Check(CreateTaskDevice({allocator_.get(), loaders.list, Loaders::kCount},
                           family_->executor.get(), device.out()),
          "creating the device with workers");
    parallel = MakeEngine(std::move(device));
  }
  return parallel;
}

}  // namespace iree_pjrt
