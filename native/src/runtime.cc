// SPDX-License-Identifier: Apache-2.0
#include "runtime.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "host_allocator.h"
#include "iree/hal/drivers/local_sync/sync_device.h"
#include "iree/hal/drivers/local_task/task_device.h"
#include "iree/hal/local/loaders/embedded_elf_loader.h"
#include "iree/hal/local/loaders/system_library_loader.h"
#include "iree/modules/hal/module.h"
#include "object_loader.h"
#include "status.h"

namespace iree_pjrt {
namespace {

// How long a worker looks for more work before it sleeps: bridges the gaps
// between the dispatches of one program, where waking up costs as much.
constexpr iree_duration_t kWorkerSpin = 50'000;  // ns

size_t CoresOfAffinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

// cgroup v2: "<quota> <period>" or "max <period>".
size_t CoresOfCgroup() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) {
    return IREE_TASK_EXECUTOR_MAX_WORKER_COUNT;
  }
  const double cores = std::ceil(std::strtod(quota.c_str(), nullptr) / period);
  return cores < 1 ? 1 : static_cast<size_t>(cores);
}

// The loaders for what llvm-cpu makes: objects, as this plugin compiles, and
// embedded ELF files and system libraries, as users' flags may ask for.
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

size_t AvailableCores() {
  return std::min<size_t>({CoresOfAffinity(), CoresOfCgroup(),
                           IREE_TASK_EXECUTOR_MAX_WORKER_COUNT});
}

Runtime::Runtime(size_t device_count, size_t worker_count)
    : worker_count_(
          std::min<size_t>(worker_count ? worker_count : AvailableCores(),
                           IREE_TASK_EXECUTOR_MAX_WORKER_COUNT)),
      slots_(device_count) {
  const iree_allocator_t host = HostAllocator();
  Check(iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT, host,
                                instance_.out()),
        "creating the VM instance");
  Check(iree_hal_module_register_all_types(instance_.get()),
        "registering the HAL types");
  Check(iree_hal_allocator_create_heap(iree_make_cstring_view("local"),
                                       memory_.handle(), memory_.handle(),
                                       allocator_.out()),
        "creating the allocator");
  Loaders loaders;
  iree_hal_sync_device_params_t params;
  iree_hal_sync_device_params_initialize(&params);
  for (DeviceSlot& slot : slots_) {
    HalDevice device;
    Check(iree_hal_sync_device_create(iree_make_cstring_view("local"), &params,
                                      Loaders::kCount, loaders.list,
                                      allocator_.get(), host, device.out()),
          "creating the device");
    slot.serial = MakeEngine(std::move(device));
    slot.queue = std::make_unique<WorkQueue>();
  }
}

Runtime::Engine Runtime::MakeEngine(HalDevice device) const {
  const iree_allocator_t host = HostAllocator();
  Engine engine;
  engine.device = std::move(device);
  Check(iree_hal_device_group_create_from_device(engine.device.get(), host,
                                                 engine.group.out()),
        "creating the device group");
  Check(iree_hal_module_create(
            instance_.get(), iree_hal_module_device_policy_default(),
            engine.group.get(), IREE_HAL_MODULE_FLAG_NONE,
            iree_hal_module_debug_sink_null(), host, engine.hal_module.out()),
        "creating the hal module");
  return engine;
}

void Runtime::CreateWorkers() {
  iree_task_executor_options_t options;
  iree_task_executor_options_initialize(&options);
  options.worker_spin_ns = kWorkerSpin;
  iree_task_topology_t topology;
  iree_task_topology_initialize_from_group_count(worker_count_, &topology);
  iree_status_t status = iree_task_executor_create(
      options, &topology, HostAllocator(), executor_.out());
  iree_task_topology_deinitialize(&topology);
  Check(status, "creating the worker threads");
}

const Runtime::Engine& Runtime::Parallel(const DeviceSlot& slot) {
  std::lock_guard<std::mutex> lock(workers_mutex_);
  if (!slot.parallel.device) {
    if (!executor_) CreateWorkers();
    Loaders loaders;
    iree_hal_task_device_params_t params;
    iree_hal_task_device_params_initialize(&params);
    iree_task_executor_t* executor = executor_.get();
    HalDevice device;
    Check(iree_hal_task_device_create(iree_make_cstring_view("local"), &params,
                                      1, &executor, Loaders::kCount,
                                      loaders.list, allocator_.get(),
                                      HostAllocator(), device.out()),
          "creating the device with workers");
    slots_.at(static_cast<size_t>(&slot - slots_.data())).parallel =
        MakeEngine(std::move(device));
  }
  return slot.parallel;
}

}  // namespace iree_pjrt
