// SPDX-License-Identifier: Apache-2.0
// Slices of an array that are written into the same array, at another place:
// `x.at[1:].set(x[:-1])`. IREE 3.11 and 3.13 take the slice as a view of the
// array, and read what they have just written: a scatter within its dispatch,
// an update in a copy of ranges that overlap, which the runtime refuses or does
// in the wrong order. The pass puts the slice behind a barrier, which makes it
// an array of its own.
//
// Arithmetic on slices comes out as an array anyway. What only chooses between
// them (jax.numpy's masks of indices out of range) may vanish.
#include <algorithm>
#include <set>

#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// Whether a generic only chooses between its operands.
bool Chooses(const Ir& ir, MlirOperation op) {
  if (!IsElementwise(ir, op)) return false;
  const MlirOperation yield = ir.Terminator(ir.Body(op));
  return std::ranges::all_of(ir.Operands(yield), [&](MlirValue yielded) {
    const MlirOperation made = ir.Definition(yielded);
    return !made.ptr || ir.Name(made) == "arith.select";
  });
}

// The arrays that a value is, or may turn out to be, a view of.
class Sources {
 public:
  Sources(const Ir& ir, MlirValue value) : ir_(ir) { Add(value); }

  bool Have(MlirValue value) const { return found_.contains(value.ptr); }

 private:
  void Add(MlirValue value) {
    value = ir_.BeforeReshapes(value);
    if (!found_.insert(value.ptr).second) return;
    const MlirOperation made = ir_.Definition(value);
    if (!made.ptr) return;
    if (ir_.Name(made) == "tensor.extract_slice") {
      Add(ir_.Operands(made).at(0));
    } else if (Chooses(ir_, made)) {
      for (const MlirValue operand : ir_.Operands(made)) Add(operand);
    }
  }

  const Ir& ir_;
  std::set<const void*> found_;
};

}  // namespace

void CopyOwnSlices(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const bool scatters = ir.Name(op) == "iree_linalg_ext.scatter";
    if (!scatters && ir.Name(op) != "tensor.insert_slice") continue;
    // Updates and indices, or what is inserted.
    const intptr_t inputs = scatters ? 2 : 1;
    const MlirValue target =
        ir.BeforeReshapes(ir.api.mlirOperationGetOperand(op, inputs));
    for (intptr_t i = 0; i < inputs; ++i) {
      const MlirValue input = ir.api.mlirOperationGetOperand(op, i);
      if (Sources(ir, input).Have(target)) {
        ir.api.mlirOperationSetOperand(op, i, ir.Barrier(op, input));
      }
    }
  }
}

}  // namespace iree_pjrt
