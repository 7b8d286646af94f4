// SPDX-License-Identifier: Apache-2.0
// One launch of a loaded executable. A brief program whose inputs are ready
// runs at once, on the calling thread; anything else is queued on its device
// and runs there when its turn comes, so that the calling thread does not
// block. A failure fails the outputs of that launch and nothing else.
//
// IREE's own asynchronous calling convention (fences) is not used: IREE 3.11
// compiles a conditional under it to code that drops both branches.
#ifndef IREE_PJRT_LAUNCH_EXECUTE_H_
#define IREE_PJRT_LAUNCH_EXECUTE_H_

#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt {

void LoadedExecutableExecute(PJRT_LoadedExecutable_Execute_Args& args);

void ExecuteContextCreate(PJRT_ExecuteContext_Create_Args& args);
void ExecuteContextDestroy(PJRT_ExecuteContext_Destroy_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_LAUNCH_EXECUTE_H_
