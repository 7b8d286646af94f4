// SPDX-License-Identifier: Apache-2.0
// Which results of a custom call share the memory of an operand.
#ifndef IREE_PJRT_MLIR_OUTPUT_ALIASES_H_
#define IREE_PJRT_MLIR_OUTPUT_ALIASES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// For each result the number of its operand, or -1. Throws INVALID_ARGUMENT for
// numbers that the call does not have.
std::vector<int64_t> ReadAliases(const Ir& ir, MlirOperation op,
                                 size_t operands, size_t results);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_OUTPUT_ALIASES_H_
