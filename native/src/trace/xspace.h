// SPDX-License-Identifier: Apache-2.0
// A recording as a serialized XSpace, which frameworks merge into theirs and
// TensorBoard, XProf and Perfetto show.
#ifndef IREE_PJRT_TRACE_XSPACE_H_
#define IREE_PJRT_TRACE_XSPACE_H_

#include <string>

#include "trace/trace.h"

namespace iree_pjrt {

// One plane, a line for each thread.
std::string SerializeXSpace(const Trace& trace);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TRACE_XSPACE_H_
