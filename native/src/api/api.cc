// SPDX-License-Identifier: Apache-2.0
#include "api/api.h"

#include "api/api_list.h"
#include "api/extensions.h"
#include "api/guard.h"
#include "api/plugin.h"
#include "base/error.h"
#include "launch/execute.h"
#include "pjrt/buffer.h"
#include "pjrt/client.h"
#include "pjrt/device.h"
#include "pjrt/device_description.h"
#include "pjrt/event.h"
#include "pjrt/executable.h"
#include "pjrt/loaded_executable.h"
#include "pjrt/memory.h"
#include "pjrt/topology.h"
#include "transfer/promised_buffer.h"
#include "transfer/transfer.h"
#include "transfer/transfer_manager.h"

namespace iree_pjrt {
namespace {

PJRT_Api MakeApi() {
  PJRT_Api api{};
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.extension_start = Extensions();
  api.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  api.pjrt_api_version.major_version = PJRT_API_MAJOR;
  api.pjrt_api_version.minor_version = PJRT_API_MINOR;
#define IREE_PJRT_SET(name, function) \
  api.PJRT_##name =                   \
      &Guarded<PJRT_##name, &function, [] { return "PJRT_" #name; }>::Call;
#define IREE_PJRT_SET_NOT(name, reason)                                        \
  api.PJRT_##name = &NotImplemented<PJRT_##name, [] { return "PJRT_" #name; }, \
                                    [] { return reason; }>::Call;
  IREE_PJRT_API_LIST(IREE_PJRT_SET, IREE_PJRT_SET_NOT)
#undef IREE_PJRT_SET
#undef IREE_PJRT_SET_NOT
  return api;
}

}  // namespace
}  // namespace iree_pjrt

const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api api = iree_pjrt::MakeApi();
  return &api;
}
