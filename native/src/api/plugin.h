// SPDX-License-Identifier: Apache-2.0
// What the library says of itself before any client exists.
#ifndef IREE_PJRT_API_PLUGIN_H_
#define IREE_PJRT_API_PLUGIN_H_

#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt {

void PluginInitialize(PJRT_Plugin_Initialize_Args& args);
void PluginAttributes(PJRT_Plugin_Attributes_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_API_PLUGIN_H_
