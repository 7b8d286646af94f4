// SPDX-License-Identifier: Apache-2.0
// The signature of a parsed program: shapes of its inputs and outputs with the
// signedness that IREE drops, which inputs may be donated, and in which memory
// the outputs are to lie.
#ifndef IREE_PJRT_COMPILE_SIGNATURE_H_
#define IREE_PJRT_COMPILE_SIGNATURE_H_

#include <vector>

#include "base/shape.h"
#include "ffi/foreign_call.h"
#include "mlir/ir.h"

namespace iree_pjrt {

struct Signature {
  std::vector<Shape> inputs;
  std::vector<Shape> outputs;
  std::vector<bool> donatable;
  // Filled in by the rewrites.
  std::vector<ForeignCall> foreign_calls;
  // Index into MemoryDescriptions().
  std::vector<size_t> output_memories;
  // As Program has them; empty for a program of one device.
  std::vector<size_t> argument_inputs;
  std::vector<size_t> result_outputs;
};

// Throws INVALID_ARGUMENT if there is no `main` with static tensor types, and
// UNIMPLEMENTED for layouts and memories that this platform does not have,
// INTERNAL for attributes of the module that only framework_passes writes.
Signature ReadSignature(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_SIGNATURE_H_
