// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "base/host_allocator.h"
#include "base/status.h"
#include "iree/modules/hal/module.h"
#include "release/devices.h"

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
    return SIZE_MAX;
  }
  const double cores = std::ceil(std::strtod(quota.c_str(), nullptr) / period);
  return cores < 1 ? 1 : static_cast<size_t>(cores);
}

}  // namespace

size_t AvailableCores() { return std::min(CoresOfAffinity(), CoresOfCgroup()); }

VmInstance Runtime::CreateInstance() {
  VmInstance instance;
  Check(iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT, HostAllocator(),
                                instance.out()),
        "creating the VM instance");
  Check(iree_hal_module_register_all_types(instance.get()),
        "registering the HAL types");
  return instance;
}

Runtime::Engine Runtime::MakeEngine(HalDevice device) const {
  const iree_allocator_t host = HostAllocator();
  Engine engine;
  engine.device = std::move(device);
  Check(CreateDeviceGroup(engine.device.get(), engine.group.out()),
        "creating the device group");
  Check(iree_hal_module_create(
            instance_.get(), iree_hal_module_device_policy_default(),
            engine.group.get(), IREE_HAL_MODULE_FLAG_NONE,
            iree_hal_module_debug_sink_null(), host, engine.hal_module.out()),
        "creating the hal module");
  return engine;
}

}  // namespace iree_pjrt
