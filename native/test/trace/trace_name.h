// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_TEST_TRACE_TRACE_NAME_H_
#define IREE_PJRT_TEST_TRACE_TRACE_NAME_H_

#include <memory>
#include <string>

#include "trace/trace.h"

namespace iree_pjrt {

inline TraceName Name(const char* name) {
  return std::make_shared<const std::string>(name);
}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TEST_TRACE_TRACE_NAME_H_
