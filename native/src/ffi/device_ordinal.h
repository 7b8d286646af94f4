// SPDX-License-Identifier: Apache-2.0
// The device that a thread loads or runs a program for, as handlers may ask. On
// the stack of that thread; a handler that runs a program nests.
#ifndef IREE_PJRT_FFI_DEVICE_ORDINAL_H_
#define IREE_PJRT_FFI_DEVICE_ORDINAL_H_

#include <cstdint>
#include <optional>

namespace iree_pjrt {

class DeviceOrdinalScope {
 public:
  explicit DeviceOrdinalScope(int32_t ordinal);
  ~DeviceOrdinalScope();
  DeviceOrdinalScope(const DeviceOrdinalScope&) = delete;
  DeviceOrdinalScope& operator=(const DeviceOrdinalScope&) = delete;

  // The device of the innermost scope of this thread; 0 outside of any.
  static int32_t Current();

 private:
  const std::optional<int32_t> outer_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_DEVICE_ORDINAL_H_
