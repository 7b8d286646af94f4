// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_REWRITE_DISPATCH_EXECUTABLE_TARGET_H_
#define IREE_PJRT_REWRITE_DISPATCH_EXECUTABLE_TARGET_H_

#include <string_view>

#include "mlir/ir.h"

namespace iree_pjrt {

// Whether what encloses `op` is compiled for x86-64 processors.
bool IsForX86(const Ir& ir, MlirOperation op);

// Whether it is compiled for processors with this feature, `avx512f`. False
// where no target is known.
bool TargetHas(const Ir& ir, MlirOperation op, std::string_view feature);

// Sets an option of all targets of CPUs, `loop_vectorization` to `true`: IREE
// links executables of one target.
void SetTargetOption(const Ir& ir, std::string_view name,
                     std::string_view value);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_DISPATCH_EXECUTABLE_TARGET_H_
