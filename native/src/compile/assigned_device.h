// SPDX-License-Identifier: Apache-2.0
// What IREE's device assignment adds to a program. It asks the targets of
// IREE's session, whose passes load the dialects of all of them: so it is asked
// once, and the answer is written into each program.
#ifndef IREE_PJRT_COMPILE_ASSIGNED_DEVICE_H_
#define IREE_PJRT_COMPILE_ASSIGNED_DEVICE_H_

#include <optional>
#include <string>

#include "compile/compiler_context.h"
#include "mlir/ir.h"

namespace iree_pjrt {

struct AssignedDevice {
  // Of a global, without '@'.
  std::string name;
  // As MLIR writes attributes: what it is, and where operations run by default.
  std::string target;
  std::string affinity;

  void AddTo(const Ir& ir) const;
};

// Tells the assignment, in MLIR's syntax for the attribute
// `hal.device.targets`; empty leaves it to the flags.
void NameTargets(const Ir& ir, const std::string& targets);

// `targets`: as for NameTargets, the context's flags. None if these name none,
// or several that stay. Throws INVALID_ARGUMENT with what the compiler says.
std::optional<AssignedDevice> AssignDevice(const CompilerContext& context,
                                           const std::string& targets);

// Whether the operation is the global of a device.
bool IsDevice(const Ir& ir, MlirOperation op);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_ASSIGNED_DEVICE_H_
