// SPDX-License-Identifier: Apache-2.0
// Large programs of scalars, such as the norm of the gradients of a hundred
// arrays. IREE 3.11 makes one dispatch of all that depend on each other, whose
// operands and results its runtime then refuses (more than 32, or 64). Behind a
// barrier another dispatch begins.
#include <unordered_map>

#include "rewrite/rewrites.h"

namespace iree_pjrt {
namespace {

// Fewer never have too many operands and results.
constexpr size_t kLargeProgram = 24;
// With two operands and one result each, less than 32.
constexpr int kLongChain = 10;

// Not within a loop, where a barrier leaves IREE with values that have no
// buffer.
bool IsScalar(const Ir& ir, MlirOperation op) {
  if (ir.Name(op) != "linalg.generic" ||
      ir.api.mlirOperationGetNumResults(op) != 1 ||
      ir.Name(ir.api.mlirOperationGetParentOperation(op)) != "util.func") {
    return false;
  }
  return ir.api.mlirShapedTypeGetRank(ir.ResultTypes(op).front()) == 0;
}

}  // namespace

void BreakScalarChains(const Ir& ir) {
  std::vector<MlirOperation> scalars;
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsScalar(ir, op)) scalars.push_back(op);
  }
  if (scalars.size() < kLargeProgram) return;
  std::unordered_map<const void*, int> lengths;
  for (const MlirOperation op : scalars) {
    int length = 1;
    for (const MlirValue operand : ir.Operands(op)) {
      const auto before = lengths.find(operand.ptr);
      if (before != lengths.end()) length += before->second;
    }
    const MlirValue result = ir.api.mlirOperationGetResult(op, 0);
    if (length < kLongChain) {
      lengths.emplace(result.ptr, length);
    } else {
      ir.PutBehindBarrier(result);
    }
  }
}

}  // namespace iree_pjrt
