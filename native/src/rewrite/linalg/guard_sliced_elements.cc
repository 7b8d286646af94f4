// SPDX-License-Identifier: Apache-2.0
// One element that is sliced from a list of what is computed from narrower
// types: x.astype(f32).reshape(-1)[:1] of bfloat16. IREE (3.13) computes what
// widens a type again in each dispatch that uses it, and then never stops
// tiling a list for a slice that has no dimension any more. The pass puts a
// barrier between the list and the slice.
#include <set>

#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// What arrays are computed from, element by element.
class ConvertedSources {
 public:
  explicit ConvertedSources(const Ir& ir) : ir_(ir) {}

  // Whether an array there has elements of another type.
  bool Convert(MlirValue array) {
    array = ir_.BeforeReshapes(array);
    const MlirOperation op = ir_.Definition(array);
    if (!IsElementwise(ir_, op)) return false;
    if (!seen_.insert(op.ptr).second) return false;
    for (const MlirValue operand : ir_.Operands(op)) {
      if (!SameElements(ir_, operand, array) || Convert(operand)) return true;
    }
    return false;
  }

 private:
  const Ir& ir_;
  std::set<const void*> seen_;
};

bool IsOneOfAList(const Ir& ir, MlirOperation slice) {
  const auto type_of = [&](MlirValue value) {
    return ir.api.mlirValueGetType(value);
  };
  const MlirType list = type_of(ir.Operands(slice).at(0));
  const MlirType taken = type_of(ir.Results(slice).at(0));
  if (ir.api.mlirShapedTypeGetRank(list) != 1) return false;
  return ir.api.mlirShapedTypeGetRank(taken) == 0 ||
         ir.api.mlirShapedTypeGetDimSize(taken, 0) == 1;
}

}  // namespace

void GuardSlicedElements(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "tensor.extract_slice" || !IsOneOfAList(ir, op)) {
      continue;
    }
    const MlirValue list = ir.Operands(op).at(0);
    if (!ConvertedSources(ir).Convert(list)) continue;
    ir.api.mlirOperationSetOperand(op, 0, ir.Barrier(op, list));
  }
}

}  // namespace iree_pjrt
