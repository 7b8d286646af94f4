// SPDX-License-Identifier: Apache-2.0
// The IREE runtime of one client: a VM instance, worker threads, an allocator,
// and for each device a HAL device with the `hal` module bound to it.
// Immutable after construction, so any thread may use it; the IREE objects
// inside are thread-safe. Owned by the Client.
#ifndef IREE_PJRT_RUNTIME_H_
#define IREE_PJRT_RUNTIME_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "iree_ref.h"
#include "work_queue.h"

namespace iree_pjrt {

// Cores this process may use: its affinity mask, cut by the cgroup's quota.
size_t AvailableCores();

class Runtime {
 public:
  struct DeviceSlot {
    HalDevice device;
    HalDeviceGroup group;
    VmModule hal_module;
    // Launches, in order.
    std::unique_ptr<WorkQueue> queue;
  };

  explicit Runtime(size_t device_count);

  iree_vm_instance_t* instance() const { return instance_.get(); }
  iree_hal_allocator_t* allocator() const { return allocator_.get(); }
  const DeviceSlot& slot(size_t index) const { return slots_.at(index); }
  // Where the framework's callbacks run.
  WorkQueue& callbacks() { return callbacks_; }

 private:
  void CreateDevice(size_t index);

  VmInstance instance_;
  TaskExecutor executor_;
  HalAllocator allocator_;
  WorkQueue callbacks_;
  // Last: the devices' threads end before what they use goes.
  std::vector<DeviceSlot> slots_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RUNTIME_H_
