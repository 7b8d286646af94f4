// SPDX-License-Identifier: Apache-2.0
// One executable that does what two dispatches do, whose functions go over the
// same rows.
#ifndef IREE_PJRT_REWRITE_FLOW_JOIN_ROWS_H_
#define IREE_PJRT_REWRITE_FLOW_JOIN_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mlir/ir.h"
#include "rewrite/flow/row_function.h"

namespace iree_pjrt {

// A dispatch of the program.
struct RowDispatch {
  MlirOperation op;
  std::string executable;
  std::string entry;  // the export in it
};

// Numbers of results or operands.
using Wiring = std::vector<int64_t>;
inline constexpr int64_t kNotWired = -1;

// Two dispatches, and what they have in common.
struct RowPair {
  RowDispatch first;
  RowDispatch second;
  // The result of the first that an operand of the second is.
  Wiring results;
  // The operand of the second that an operand of the first is.
  Wiring operands;

  // What the first's function computes as its result with this number.
  MlirValue StoredBy(const Ir& ir, const RowFunction& function,
                     int64_t result) const;
};

// A new executable of this name, which its export and function have too, in
// front of the second one's. Its operands are those of the second that are no
// results of the first, and those of the first that the second does not have.
MlirOperation JoinRows(const Ir& ir, const RowPair& pair, MlirOperation first,
                       MlirOperation second, const std::string& name);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_FLOW_JOIN_ROWS_H_
