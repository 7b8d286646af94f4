// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_MLIR_TIED_OPERANDS_H_
#define IREE_PJRT_MLIR_TIED_OPERANDS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// Of each result of a `flow.dispatch` or `stream.async.dispatch` the operand
// whose memory it has; shorter or empty where the last or all have their own.
std::vector<std::optional<size_t>> TiedOperands(const Ir& ir,
                                                MlirOperation dispatch);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_TIED_OPERANDS_H_
