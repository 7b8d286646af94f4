// SPDX-License-Identifier: Apache-2.0
// Spreads long copies and fills over the crew: one thread copies some 10 GB a
// second, two cores 20. IREE's device that runs a program on the launching
// thread does them there; its own calls of iree_hal_buffer_map_copy and
// iree_hal_buffer_map_fill are compiled into calls of the functions below
// (cmake/iree.cmake).
#include <algorithm>
#include <atomic>

#include "cpu/crew.h"
#include "iree/hal/buffer.h"

namespace iree_pjrt {
namespace {

// Bytes. A multiple of what may be filled at once, and a part of the cache.
constexpr iree_device_size_t kTransferPart = 64 << 10;
// Shorter ones take less time than a call to a helper.
constexpr iree_device_size_t kSharedFrom = 4 * kTransferPart;

// Kinds of work, which other work has not: addresses.
constexpr char kCopy = 0;
constexpr char kFill = 0;

bool IsSharedTransfer(iree_device_size_t length) {
  return length >= kSharedFrom && length != IREE_HAL_WHOLE_BUFFER;
}

// `part`: of where one begins and how long it is, in bytes.
template <typename Part>
iree_status_t ShareParts(const char* kind, iree_device_size_t length,
                         const Part& part) {
  struct Shared {
    const Part& part;
    const iree_device_size_t length;
    // The first error; owned.
    std::atomic<iree_status_t> status{iree_ok_status()};

    void Run(iree_device_size_t begin, iree_device_size_t end) {
      const iree_status_t error =
          part(begin * kTransferPart,
               std::min(end * kTransferPart, length) - begin * kTransferPart);
      iree_status_t none = iree_ok_status();
      if (!iree_status_is_ok(error) &&
          !status.compare_exchange_strong(none, error)) {
        iree_status_ignore(error);
      }
    }
  } shared{part, length};
  Crew::Get().Run(
      reinterpret_cast<uintptr_t>(kind),
      (length + kTransferPart - 1) / kTransferPart,
      [](void* context, uint64_t begin, uint64_t end) {
        static_cast<Shared*>(context)->Run(begin, end);
      },
      &shared);
  return shared.status.load();
}

}  // namespace
}  // namespace iree_pjrt

extern "C" iree_status_t iree_pjrt_copy(iree_hal_buffer_t* source,
                                        iree_device_size_t source_offset,
                                        iree_hal_buffer_t* target,
                                        iree_device_size_t target_offset,
                                        iree_device_size_t length) {
  // IREE refuses what overlaps, which parts may not.
  if (!iree_pjrt::IsSharedTransfer(length) ||
      iree_hal_buffer_test_overlap(source, source_offset, length, target,
                                   target_offset, length) !=
          IREE_HAL_BUFFER_OVERLAP_DISJOINT) {
    return iree_hal_buffer_map_copy(source, source_offset, target,
                                    target_offset, length);
  }
  return iree_pjrt::ShareParts(
      &iree_pjrt::kCopy, length,
      [&](iree_device_size_t begin, iree_device_size_t size) {
        return iree_hal_buffer_map_copy(source, source_offset + begin, target,
                                        target_offset + begin, size);
      });
}

extern "C" iree_status_t iree_pjrt_fill(iree_hal_buffer_t* buffer,
                                        iree_device_size_t offset,
                                        iree_device_size_t length,
                                        const void* pattern,
                                        iree_host_size_t pattern_length) {
  if (!iree_pjrt::IsSharedTransfer(length)) {
    return iree_hal_buffer_map_fill(buffer, offset, length, pattern,
                                    pattern_length);
  }
  return iree_pjrt::ShareParts(
      &iree_pjrt::kFill, length,
      [&](iree_device_size_t begin, iree_device_size_t size) {
        return iree_hal_buffer_map_fill(buffer, offset + begin, size, pattern,
                                        pattern_length);
      });
}
