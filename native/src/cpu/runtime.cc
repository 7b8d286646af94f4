// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.h"

#include "base/host_allocator.h"
#include "base/status.h"
#include "cpu/buffer_allocator.h"
#include "cpu/crew.h"
#include "cpu/object_loader.h"
#include "iree/hal/local/loaders/embedded_elf_loader.h"
#include "iree/hal/local/loaders/system_library_loader.h"
#include "program/options.h"
#include "release/devices.h"

namespace iree_pjrt {
namespace {

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

struct Runtime::Family {
  BufferAllocator memory;
};

Runtime::Runtime(const ClientOptions& options)
    : family_(std::make_unique<Family>()), instance_(CreateInstance()) {
  Crew::Get().set_threads(options.thread_count ? options.thread_count
                                               : AvailableCores());
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

}  // namespace iree_pjrt
