// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.h"

#include <utility>

#include "base/host_allocator.h"
#include "base/status.h"
#include "cuda/gpu_target.h"
#include "cuda/runtime_family.h"
#include "iree/hal/drivers/cuda/api.h"
#include "program/options.h"
#include "release/devices.h"

namespace iree_pjrt {
namespace {

HalDriver CreateDriver(const DeviceOptions& options) {
  iree_hal_cuda_driver_options_t driver_options;
  iree_hal_cuda_driver_options_initialize(&driver_options);
  driver_options.default_device_index =
      static_cast<int>(options.device_ordinal);
  iree_hal_cuda_device_params_t params;
  iree_hal_cuda_device_params_initialize(&params);
  params.async_allocations = options.async_allocation;
  params.command_buffer_mode = options.graphs
                                   ? IREE_HAL_CUDA_COMMAND_BUFFER_MODE_GRAPH
                                   : IREE_HAL_CUDA_COMMAND_BUFFER_MODE_STREAM;
  HalDriver driver;
  Check(iree_hal_cuda_driver_create(iree_make_cstring_view("cuda"),
                                    &driver_options, &params, HostAllocator(),
                                    driver.out()),
        "opening the CUDA driver");
  return driver;
}

}  // namespace

Runtime::Runtime(const ClientOptions& options)
    : family_(std::make_unique<Family>()), instance_(CreateInstance()) {
  const DeviceOptions& wanted = options.device;
  family_->gpu = FindGpu(wanted.device_ordinal);
  family_->target = TargetOfGpu(family_->gpu, wanted.target);
  family_->staging_bytes = static_cast<size_t>(wanted.staging_bytes);
  family_->driver = CreateDriver(wanted);
  HalDevice device;
  Check(OpenDefaultDevice(family_->driver.get(), device.out()),
        "opening the GPU");
  family_->device = device.get();
  allocator_ = HalAllocator::Retain(iree_hal_device_allocator(device.get()));
  const DeviceScope scope(device.get());
  engine_ = MakeEngine(std::move(device));
}

// The device goes within its own context; nothing may hold a buffer any more.
Runtime::~Runtime() {
  if (!engine_.device) return;
  const DeviceScope scope(family_->device);
  family_->staging = HalBuffer();
  allocator_ = HalAllocator();
  engine_ = Engine();
}

Target Runtime::target() const { return family_->target; }

MemoryStatistics Runtime::memory_statistics() const {
  iree_hal_allocator_statistics_t figures{};
  iree_hal_allocator_query_statistics(allocator_.get(), &figures);
  const auto number = [](iree_device_size_t bytes) {
    return static_cast<int64_t>(bytes);
  };
  return {number(figures.device_bytes_allocated - figures.device_bytes_freed),
          number(figures.device_bytes_peak), std::nullopt, std::nullopt,
          family_->gpu.memory_bytes};
}

}  // namespace iree_pjrt
