// SPDX-License-Identifier: Apache-2.0
// Spreads the workgroups of a dispatch over the crew. IREE's device that runs a
// program on the launching thread runs them one after another; its own calls of
// iree_hal_local_executable_issue_dispatch_inline are compiled into calls of
// the function below (cmake/iree.cmake).
#include <atomic>
#include <memory>
#include <new>

#include "cpu/crew.h"
#include "iree/hal/local/local_executable.h"

namespace iree_pjrt {
namespace {

constexpr std::align_val_t kScratchAlignment{64};

struct DeleteScratch {
  void operator()(uint8_t* scratch) const {
    operator delete(scratch, kScratchAlignment);
  }
};

// What workgroups on this thread keep between their steps; grows as needed.
uint8_t* Scratch(size_t size) {
  thread_local std::unique_ptr<uint8_t, DeleteScratch> scratch;
  thread_local size_t had = 0;
  if (size > had) {
    scratch.reset(static_cast<uint8_t*>(operator new(size, kScratchAlignment)));
    had = size;
  }
  return scratch.get();
}

struct Dispatch {
  iree_hal_local_executable_t* executable;
  iree_host_size_t ordinal;
  const iree_hal_executable_dispatch_state_v0_t* state;
  uint32_t processor_id;
  size_t scratch_size;
  // The first error; owned.
  std::atomic<iree_status_t> status{iree_ok_status()};

  uint64_t count() const {
    return uint64_t{state->workgroup_count_x} * state->workgroup_count_y *
           state->workgroup_count_z;
  }
  void Run(uint64_t begin, uint64_t end);
  void Fail(iree_status_t error);
};

void Dispatch::Run(uint64_t begin, uint64_t end) {
  const uint64_t columns = state->workgroup_count_x;
  const uint64_t rows = state->workgroup_count_y;
  iree_alignas(64) iree_hal_executable_workgroup_state_v0_t workgroup{};
  workgroup.workgroup_id_x = static_cast<uint32_t>(begin % columns);
  workgroup.workgroup_id_y = static_cast<uint32_t>(begin / columns % rows);
  workgroup.workgroup_id_z = static_cast<uint16_t>(begin / columns / rows);
  workgroup.processor_id = processor_id;
  workgroup.local_memory = scratch_size ? Scratch(scratch_size) : nullptr;
  workgroup.local_memory_size = static_cast<uint32_t>(scratch_size);
  for (uint64_t i = begin; i < end; ++i) {
    const iree_status_t result = iree_hal_local_executable_issue_call(
        executable, ordinal, state, &workgroup, /*worker_id=*/0);
    if (!iree_status_is_ok(result)) return Fail(result);
    if (++workgroup.workgroup_id_x < columns) continue;
    workgroup.workgroup_id_x = 0;
    if (++workgroup.workgroup_id_y < rows) continue;
    workgroup.workgroup_id_y = 0;
    ++workgroup.workgroup_id_z;
  }
}

void Dispatch::Fail(iree_status_t error) {
  iree_status_t none = iree_ok_status();
  if (!status.compare_exchange_strong(none, error)) iree_status_ignore(error);
}

}  // namespace
}  // namespace iree_pjrt

extern "C" iree_status_t iree_pjrt_issue_dispatch(
    iree_hal_local_executable_t* executable, iree_host_size_t ordinal,
    const iree_hal_executable_dispatch_state_v0_t* state, uint32_t processor_id,
    iree_byte_span_t local_memory) {
  iree_pjrt::Dispatch dispatch{executable, ordinal, state, processor_id,
                               local_memory.data_length};
  iree_pjrt::Crew::Get().Run(
      reinterpret_cast<uintptr_t>(executable) + ordinal, dispatch.count(),
      [](void* context, uint64_t begin, uint64_t end) {
        static_cast<iree_pjrt::Dispatch*>(context)->Run(begin, end);
      },
      &dispatch);
  return dispatch.status.load();
}
