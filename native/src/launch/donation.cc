// SPDX-License-Identifier: Apache-2.0
#include "launch/donation.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <string>

#include "iree/hal/resource.h"
#include "pjrt/client.h"
#include "runtime/device_memory.h"

namespace iree_pjrt {
namespace {

bool HasOneOwner(iree_hal_buffer_t* buffer) {
  auto* resource = reinterpret_cast<iree_hal_resource_t*>(buffer);
  return iree_atomic_ref_count_load(&resource->ref_count) == 1;
}

// True if the caller's `data` is the only way to these bytes: neither another
// array, a pending read or a reference of the framework shares them, nor the
// program that made them (which returns constants of its module by reference).
bool IsExclusive(const std::shared_ptr<const BufferData>& data) {
  if (!data->writable || data.use_count() != 1) return false;
  iree_hal_buffer_t* view = data->hal.get();
  iree_hal_buffer_t* storage = iree_hal_buffer_allocated_buffer(view);
  const bool exclusive =
      HasOneOwner(view) && (storage == view || HasOneOwner(storage));
  // What the last other owner did happens before anything that the program
  // does.
  std::atomic_thread_fence(std::memory_order_acquire);
  return exclusive;
}

}  // namespace

std::vector<bool> DonatedInputs(const Program& program,
                                const PJRT_ExecuteOptions& options,
                                const LaunchArguments& arguments) {
  std::vector<bool> donated = program.donatable;
  const std::span<const int64_t> kept(
      options.non_donatable_input_indices,
      options.non_donatable_input_indices
          ? options.num_non_donatable_input_indices
          : 0);
  for (size_t device = 0; device < arguments.devices.size(); ++device) {
    for (int64_t index : kept) {
      if (index < 0 || static_cast<size_t>(index) >= arguments.count) continue;
      donated[program.input_of(device, static_cast<size_t>(index))] = false;
    }
  }
  for (size_t device = 0; device < arguments.devices.size(); ++device) {
    const std::span<PJRT_Buffer* const> all(arguments.lists[device],
                                            arguments.count);
    for (size_t i = 0; i < all.size(); ++i) {
      if (donated[program.input_of(device, i)] &&
          std::count(all.begin(), all.end(), all[i]) > 1) {
        ThrowInvalidArgument("argument " + std::to_string(i) +
                             " is donated, so its buffer cannot be passed as "
                             "another argument too");
      }
    }
  }
  return donated;
}

HalBuffer WritableInput(Client& client,
                        const std::shared_ptr<const BufferData>& data,
                        bool donated) {
  if (donated && IsExclusive(data)) return data->hal;
  return CopyOf(client.runtime(), data->hal.get());
}

}  // namespace iree_pjrt
