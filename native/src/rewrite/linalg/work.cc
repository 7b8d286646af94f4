// SPDX-License-Identifier: Apache-2.0
#include "rewrite/linalg/work.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/generics.h"

namespace iree_pjrt {
namespace {

// Narrow floats are computed with as float32; of bfloat16, instructions round.
int ArithmeticIn(const Ir& ir, MlirOperation op) {
  const std::vector<MlirType> types = ir.ResultTypes(op);
  if (types.size() != 1) return 1;
  const std::string type = ir.Print(types[0]);
  if (type == "bf16") return 8;
  return type == "f16" || type.starts_with("f8") ? 6 : 1;
}

// How many additions take as long as the operation, alone.
int WorkOf(const Ir& ir, MlirOperation op) {
  const std::string_view name = ir.Name(op);
  if (name.starts_with("math.") || name == "tensor.extract") return 8;
  // Branches, foreseen or not, and what takes several instructions.
  if (name.starts_with("arith.cmp") || name.starts_with("arith.select") ||
      name.starts_with("arith.max") || name.starts_with("arith.min") ||
      name.starts_with("arith.div") || name.starts_with("arith.rem")) {
    return 6;
  }
  if (!name.starts_with("arith.")) return 0;
  return ArithmeticIn(ir, op);
}

int Count(const Ir& ir, MlirValue array, int most,
          std::set<const void*>& seen) {
  const MlirOperation op = ir.DefinitionBeforeReshapes(array);
  if (!IsElementwise(ir, op) || !seen.insert(op.ptr).second) return 0;
  int work = 0;
  for (const MlirOperation inner : ir.OperationsOf(ir.Body(op))) {
    work += WorkOf(ir, inner);
  }
  for (const MlirValue operand : ir.Operands(op)) {
    if (work >= most) break;
    if (ir.IsArray(operand)) work += Count(ir, operand, most - work, seen);
  }
  return work;
}

}  // namespace

int WorkFor(const Ir& ir, MlirValue array, int most) {
  std::set<const void*> seen;
  return Count(ir, array, most, seen);
}

}  // namespace iree_pjrt
