// SPDX-License-Identifier: Apache-2.0
// Once dispatches are compiled: IREE's hal and vm phases, when only the
// module's own code is left to be made.
#ifndef IREE_PJRT_REWRITE_LATE_PASSES_H_
#define IREE_PJRT_REWRITE_LATE_PASSES_H_

#include <functional>
#include <string>

#include "mlir/ir.h"

namespace iree_pjrt {

// The compiled object (what `object` returns) takes the place of its name.
// False if the module has no code for it.
bool EmbedObject(const Ir& ir, const std::function<std::string()>& object);

// What is handed to a block can be moved from register to register.
void SeparateBlockArguments(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LATE_PASSES_H_
