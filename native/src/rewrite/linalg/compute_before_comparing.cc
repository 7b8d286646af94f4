// SPDX-License-Identifier: Apache-2.0
// Reductions that compare what they reduce, as of `argmax`. IREE (3.11, 3.13)
// makes no vectors of one, nor of what it fuses into it: the logarithms and the
// random numbers of a sample of categories, one by one. The pass puts such
// inputs behind a barrier; they are computed before, as vectors.
#include <algorithm>
#include <set>
#include <string_view>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// Below it, another dispatch takes longer than what it saves.
constexpr int64_t kLeastCompared = 1024;
// In additions: above it, an array that is written and read again costs less.
constexpr int kLeastWork = 6;

// How many additions take as long as the operation, alone.
int WorkOf(std::string_view name) {
  if (name.starts_with("math.")) return 8;
  // Branches, foreseen or not, and what takes several instructions.
  if (name.starts_with("arith.cmp") || name.starts_with("arith.select") ||
      name.starts_with("arith.max") || name.starts_with("arith.min") ||
      name.starts_with("arith.div") || name.starts_with("arith.rem") ||
      name.starts_with("arith.truncf")) {
    return kLeastWork;
  }
  return name.starts_with("arith.") ? 1 : 0;
}

// The work for one element of the array, that IREE fuses into what reads it; at
// most a little more than kLeastWork.
int WorkFor(const Ir& ir, MlirValue array, std::set<const void*>& seen) {
  const MlirOperation op = ir.DefinitionBeforeReshapes(array);
  if (!IsElementwise(ir, op) || !seen.insert(op.ptr).second) return 0;
  int work = 0;
  for (const MlirOperation inner : ir.OperationsOf(ir.Body(op))) {
    work += WorkOf(ir.Name(inner));
  }
  for (const MlirValue operand : ir.Operands(op)) {
    if (work >= kLeastWork) break;
    if (ir.IsArray(operand)) work += WorkFor(ir, operand, seen);
  }
  return work;
}

bool HasManyElements(const Ir& ir, MlirValue array) {
  const auto type = ArrayTypeOf(ir, array);
  return type && ElementCount(type->shape) >= kLeastCompared;
}

bool Compares(const Ir& ir, MlirOperation op) {
  return std::ranges::any_of(
      ir.OperationsOf(ir.Body(op)), [&](MlirOperation inner) {
        return ir.Name(inner).starts_with("arith.select");
      });
}

}  // namespace

void ComputeBeforeComparing(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!IsReduction(ir, op) || ir.Results(op).size() < 2 ||
        !Compares(ir, op)) {
      continue;
    }
    for (const MlirValue input : ir.Operands(op)) {
      std::set<const void*> seen;
      if (HasManyElements(ir, input) &&
          WorkFor(ir, input, seen) >= kLeastWork) {
        ir.PutBehindBarrier(input);
      }
    }
  }
}

}  // namespace iree_pjrt
