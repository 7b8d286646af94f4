// SPDX-License-Identifier: Apache-2.0
#include "api/extensions.h"

#include "api/guard.h"
#include "api/profiler.h"
#include "pjrt/layouts.h"
#include "pjrt/memory_description.h"

namespace iree_pjrt {
namespace {

#define IREE_PJRT_GUARDED(name, function) \
  &Guarded<name, &function, [] { return #name; }>::Call

PJRT_MemoryDescriptions_Extension* MemoryDescriptionsExtension() {
  static PJRT_MemoryDescriptions_Extension extension = {
      {PJRT_MemoryDescriptions_Extension_STRUCT_SIZE,
       PJRT_Extension_Type_MemoryDescriptions, nullptr},
      IREE_PJRT_GUARDED(PJRT_DeviceDescription_MemoryDescriptions,
                        DeviceDescriptionMemoryDescriptions),
      IREE_PJRT_GUARDED(PJRT_MemoryDescription_Kind, MemoryDescriptionKind),
  };
  return &extension;
}

PJRT_Layouts_Extension* LayoutsExtension() {
  static PJRT_Layouts_Extension extension = {
      {PJRT_Layouts_Extension_STRUCT_SIZE, PJRT_Extension_Type_Layouts,
       &MemoryDescriptionsExtension()->base},
      IREE_PJRT_GUARDED(PJRT_Layouts_MemoryLayout_Destroy, MemoryLayoutDestroy),
      IREE_PJRT_GUARDED(PJRT_Layouts_MemoryLayout_Serialize,
                        MemoryLayoutSerialize),
      IREE_PJRT_GUARDED(PJRT_Layouts_PJRT_Client_GetDefaultLayout,
                        ClientGetDefaultLayout),
      IREE_PJRT_GUARDED(PJRT_Layouts_PJRT_Buffer_MemoryLayout,
                        BufferMemoryLayout),
      IREE_PJRT_GUARDED(PJRT_Layouts_PJRT_Topology_GetDefaultLayout,
                        TopologyGetDefaultLayout),
      IREE_PJRT_GUARDED(PJRT_Layouts_PJRT_Executable_GetOutputLayouts,
                        ExecutableGetOutputLayouts),
  };
  return &extension;
}

PJRT_Profiler_Extension* ProfilerExtension() {
  static PJRT_Profiler_Extension extension = {
      {PJRT_Profiler_Extension_STRUCT_SIZE, PJRT_Extension_Type_Profiler,
       &LayoutsExtension()->base},
      ProfilerApi(),
      /*traceme_context_id=*/0,
  };
  return &extension;
}

#undef IREE_PJRT_GUARDED

}  // namespace

PJRT_Extension_Base* Extensions() { return &ProfilerExtension()->base; }

}  // namespace iree_pjrt
