// SPDX-License-Identifier: Apache-2.0
// The IREE runtime of one client, which its devices share: a VM instance, an
// allocator, a HAL device with the `hal` module bound to it, and the threads.
// Each family of devices makes its own of it: src/cpu/runtime.cc has a HAL
// device that runs a program on the launching thread, which lets helpers share
// its dispatches (cpu/workgroups.cc); src/cuda/runtime.cc has a GPU.
//
// Any thread may use it; the IREE objects inside are thread-safe. Owned by the
// Client.
#ifndef IREE_PJRT_RUNTIME_RUNTIME_H_
#define IREE_PJRT_RUNTIME_RUNTIME_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/iree_ref.h"
#include "runtime/target.h"
#include "runtime/work_queue.h"

namespace iree_pjrt {

struct ClientOptions;

// Cores this process may use: its affinity mask, cut by the cgroup's quota.
size_t AvailableCores();

// A plain value; statistics that are not known are not set.
struct MemoryStatistics {
  int64_t bytes_in_use;
  std::optional<int64_t> peak_bytes_in_use;
  std::optional<int64_t> allocation_count;  // ever made
  std::optional<int64_t> largest_allocation;
  std::optional<int64_t> bytes_limit;
};

class Runtime {
 public:
  // A HAL device and what a VM context needs of it.
  struct Engine {
    HalDevice device;
    HalDeviceGroup group;
    VmModule hal_module;
  };

  // Throws FAILED_PRECONDITION, with what was looked for and what was found, if
  // the device is not there.
  explicit Runtime(const ClientOptions& options);
  ~Runtime();

  iree_vm_instance_t* instance() const { return instance_.get(); }
  iree_hal_allocator_t* allocator() const { return allocator_.get(); }
  // The target of the device.
  Target target() const;
  MemoryStatistics memory_statistics() const;
  const Engine& engine() const { return engine_; }
  // Where the framework's callbacks run; outlives this where it is held.
  const std::shared_ptr<WorkQueue>& callbacks() const { return callbacks_; }

  // What a family keeps beside the members of this.
  struct Family;
  Family& family() { return *family_; }

 private:
  static VmInstance CreateInstance();
  Engine MakeEngine(HalDevice device) const;

  // Before all that may still hold a buffer.
  const std::unique_ptr<Family> family_;
  const VmInstance instance_;
  HalAllocator allocator_;
  const std::shared_ptr<WorkQueue> callbacks_ = std::make_shared<WorkQueue>();
  // Last: the device's threads end before what they use goes.
  Engine engine_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RUNTIME_RUNTIME_H_
