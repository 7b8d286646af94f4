// SPDX-License-Identifier: Apache-2.0
// The IREE runtime of one client: a VM instance, an allocator, and for each
// device two HAL devices over that allocator, each with the `hal` module bound
// to it: one that runs a program on the launching thread and one that spreads
// it over worker threads. They share buffers freely.
//
// Any thread may use it; the IREE objects inside are thread-safe. No thread
// exists before the first program that needs it. Owned by the Client.
#ifndef IREE_PJRT_RUNTIME_H_
#define IREE_PJRT_RUNTIME_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "buffer_allocator.h"
#include "iree_ref.h"
#include "work_queue.h"

namespace iree_pjrt {

// Cores this process may use: its affinity mask, cut by the cgroup's quota.
size_t AvailableCores();

class Runtime {
 public:
  // A HAL device and what a VM context needs of it.
  struct Engine {
    HalDevice device;
    HalDeviceGroup group;
    VmModule hal_module;
  };
  struct DeviceSlot {
    // Runs on the thread that calls.
    Engine serial;
    // Empty until parallel() is called.
    Engine parallel;
    // Launches, in order.
    std::unique_ptr<WorkQueue> queue;
  };

  // `worker_count` 0: one for each available core.
  Runtime(size_t device_count, size_t worker_count);

  iree_vm_instance_t* instance() const { return instance_.get(); }
  iree_hal_allocator_t* allocator() const { return allocator_.get(); }
  BufferAllocator::Statistics memory_statistics() const {
    return memory_.statistics();
  }
  const DeviceSlot& slot(size_t index) const { return slots_.at(index); }
  size_t worker_count() const { return worker_count_; }
  // The engine with worker threads; makes them at first use.
  const Engine& Parallel(const DeviceSlot& slot);
  // Where the framework's callbacks run.
  WorkQueue& callbacks() { return callbacks_; }

 private:
  Engine MakeEngine(HalDevice device) const;
  void CreateWorkers();

  const size_t worker_count_;
  VmInstance instance_;
  std::mutex workers_mutex_;
  TaskExecutor executor_;
  // Before all that may still hold a buffer.
  BufferAllocator memory_;
  HalAllocator allocator_;
  WorkQueue callbacks_;
  // Last: the devices' threads end before what they use goes.
  std::vector<DeviceSlot> slots_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RUNTIME_H_
