// SPDX-License-Identifier: Apache-2.0
// PJRT_Profiler_Extension: how a framework's profiler (jax.profiler) gets at
// the recorder (trace/trace.h). A PLUGIN_Profiler belongs to the caller, who
// uses it on one thread at a time. Only one profiler records at a time.
#ifndef IREE_PJRT_API_PROFILER_H_
#define IREE_PJRT_API_PROFILER_H_

#include "xla/pjrt/c/pjrt_c_api_profiler_extension.h"

namespace iree_pjrt {

// Lives as long as the process.
PLUGIN_Profiler_Api* ProfilerApi();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_API_PROFILER_H_
