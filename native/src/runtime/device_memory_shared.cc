// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_memory_shared.h"

#include <utility>

#include "base/status.h"
#include "runtime/runtime.h"

namespace iree_pjrt {

char* MapPersistently(iree_hal_buffer_t* buffer, size_t offset,
                      iree_device_size_t size, const char* doing) {
  iree_hal_buffer_mapping_t mapping;
  Check(iree_hal_buffer_map_range(buffer, IREE_HAL_MAPPING_MODE_PERSISTENT,
                                  IREE_HAL_MEMORY_ACCESS_ANY, offset, size,
                                  &mapping),
        doing);
  return reinterpret_cast<char*>(mapping.contents.data);
}

HalBuffer ImportExternal(Runtime& runtime,
                         const iree_hal_buffer_params_t& params,
                         iree_hal_external_buffer_t external,
                         std::function<void()> on_release, const char* doing) {
  auto* release = new std::function<void()>(std::move(on_release));
  const iree_hal_buffer_release_callback_t callback = {
      [](void* user_data, iree_hal_buffer_t*) {
        auto* release = static_cast<std::function<void()>*>(user_data);
        (*release)();
        delete release;
      },
      release};
  HalBuffer buffer;
  iree_status_t status = iree_hal_allocator_import_buffer(
      runtime.allocator(), params, &external, callback, buffer.out());
  if (!iree_status_is_ok(status)) delete release;
  Check(status, doing);
  return buffer;
}

}  // namespace iree_pjrt
