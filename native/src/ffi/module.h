// SPDX-License-Identifier: Apache-2.0
// The VM module that a program with foreign calls imports them from: one
// function per call site, buffer views in, buffer views out. Calls are made on
// the thread that runs the program, after everything they depend on is done.
#ifndef IREE_PJRT_FFI_MODULE_H_
#define IREE_PJRT_FFI_MODULE_H_

#include <memory>

#include "ffi/foreign_call.h"
#include "runtime/iree_ref.h"

namespace iree_pjrt {

class Runtime;

// Binds every call to its handler; throws NOT_FOUND where there is none, and
// whatever a handler says when it is instantiated. `calls` is kept alive by the
// module; the runtime must outlive it.
VmModule CreateForeignModule(
    Runtime& runtime, std::shared_ptr<const std::vector<ForeignCall>> calls);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_MODULE_H_
