// SPDX-License-Identifier: Apache-2.0
// Names and versions that this build of the plugin is known by. The macros come
// from CMake.
#ifndef IREE_PJRT_BASE_PLATFORM_H_
#define IREE_PJRT_BASE_PLATFORM_H_

namespace iree_pjrt {

inline constexpr char kPlatformName[] = IREE_PJRT_PLATFORM_NAME;
// The class that a device shows itself as.
inline constexpr char kDeviceClass[] = IREE_PJRT_DEVICE_CLASS;
inline constexpr char kPluginVersion[] = IREE_PJRT_VERSION;
inline constexpr char kIreeVersion[] = IREE_PJRT_IREE_VERSION;
inline constexpr char kPlatformVersion[] =
    "iree-pjrt " IREE_PJRT_VERSION " (IREE " IREE_PJRT_IREE_VERSION ")";

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_PLATFORM_H_
