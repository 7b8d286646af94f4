// SPDX-License-Identifier: Apache-2.0
#include "runtime.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "iree/hal/drivers/local_task/task_device.h"
#include "iree/hal/local/loaders/embedded_elf_loader.h"
#include "iree/hal/local/loaders/system_library_loader.h"
#include "iree/modules/hal/module.h"
#include "status.h"

namespace iree_pjrt {
namespace {

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

// The loaders for what llvm-cpu makes: embedded ELF files, system libraries.
struct Loaders {
  static constexpr size_t kCount = 2;
  iree_hal_executable_loader_t* list[kCount] = {};

  Loaders() {
    const iree_allocator_t host = iree_allocator_system();
    Check(iree_hal_embedded_elf_loader_create(nullptr, host, &list[0]),
          "creating the ELF loader");
    Check(iree_hal_system_library_loader_create(nullptr, host, &list[1]),
          "creating the library loader");
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

Runtime::Runtime(size_t device_count) : slots_(device_count) {
  const iree_allocator_t host = iree_allocator_system();
  Check(iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT, host,
                                instance_.out()),
        "creating the VM instance");
  Check(iree_hal_module_register_all_types(instance_.get()),
        "registering the HAL types");

  iree_task_executor_options_t options;
  iree_task_executor_options_initialize(&options);
  iree_task_topology_t topology;
  iree_task_topology_initialize_from_group_count(AvailableCores(), &topology);
  iree_status_t status =
      iree_task_executor_create(options, &topology, host, executor_.out());
  iree_task_topology_deinitialize(&topology);
  Check(status, "creating the worker threads");

  Check(iree_hal_allocator_create_heap(iree_make_cstring_view("local"), host,
                                       host, allocator_.out()),
        "creating the allocator");
  for (size_t i = 0; i < device_count; ++i) CreateDevice(i);
}

void Runtime::CreateDevice(size_t index) {
  const iree_allocator_t host = iree_allocator_system();
  DeviceSlot& slot = slots_[index];
  Loaders loaders;
  iree_hal_task_device_params_t params;
  iree_hal_task_device_params_initialize(&params);
  iree_task_executor_t* executor = executor_.get();
  Check(iree_hal_task_device_create(iree_make_cstring_view("local"), &params, 1,
                                    &executor, Loaders::kCount, loaders.list,
                                    allocator_.get(), host, slot.device.out()),
        "creating the device");
  Check(iree_hal_device_group_create_from_device(slot.device.get(), host,
                                                 slot.group.out()),
        "creating the device group");
  Check(iree_hal_module_create(
            instance_.get(), iree_hal_module_device_policy_default(),
            slot.group.get(), IREE_HAL_MODULE_FLAG_NONE,
            iree_hal_module_debug_sink_null(), host, slot.hal_module.out()),
        "creating the hal module");
  slot.queue = std::make_unique<WorkQueue>();
}

}  // namespace iree_pjrt
