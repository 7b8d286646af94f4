// SPDX-License-Identifier: Apache-2.0
// Arrays of which one operation takes elements at an index that is known, and
// that others use whole: y and y[:, [0, 0]]. Where the index is zero, IREE
// (3.13) takes the elements for a part that is needed of the array, and
// computes only that part, for all who use it. The pass puts what is used by
// others behind a barrier; what lies between, for the elements alone, may be
// computed in part.
#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "mlir/attributes.h"
#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// Numbers in bodies of generics that are the same for each element, and that
// the program says.
class KnownNumbers {
 public:
  explicit KnownNumbers(const Ir& ir) : ir_(ir) {}

  bool Has(MlirValue number) {
    const auto [known, is_new] = known_.try_emplace(number.ptr, false);
    if (!is_new) return known->second;
    const bool found = Find(number);
    known_[number.ptr] = found;
    return found;
  }

 private:
  bool Find(MlirValue number) {
    const MlirOperation op = ir_.Definition(number);
    if (!op.ptr) return IsOfKnownInput(number);
    if (ir_.Name(op) == "arith.constant") return true;
    const std::vector<MlirValue> operands = ir_.Operands(op);
    if (ir_.Name(op) == "tensor.extract") {
      if (Fills(operands.at(0))) return true;
      if (!IsKnown(operands.at(0))) return false;
    }
    return !operands.empty() &&
           std::ranges::all_of(operands, [&](MlirValue operand) {
             return ir_.IsArray(operand) || Has(operand);
           });
  }

  // Whether the program says all elements: those of one place are one number.
  bool IsKnown(MlirValue array) {
    const MlirOperation op = ir_.DefinitionBeforeReshapes(array);
    if (!op.ptr) return false;
    const std::string_view name = ir_.Name(op);
    if (name == "arith.constant" || name == "tensor.empty") return true;
    if (!IsGeneric(ir_, op) && name != "linalg.fill" &&
        name != "tensor.insert_slice" && name != "tensor.extract_slice" &&
        name != "tensor.concat") {
      return false;
    }
    const auto [known, is_new] = known_.try_emplace(op.ptr, false);
    if (is_new) {
      const bool found =
          std::ranges::all_of(ir_.Operands(op), [&](MlirValue operand) {
            return ir_.IsArray(operand) ? IsKnown(operand) : Has(operand);
          });
      known_[op.ptr] = found;
    }
    return known_[op.ptr];
  }

  bool IsOfKnownInput(MlirValue argument) {
    const MlirOperation generic = ir_.api.mlirBlockGetParentOperation(
        ir_.api.mlirBlockArgumentGetOwner(argument));
    return IsGeneric(ir_, generic) &&
           Fills(ir_.api.mlirOperationGetOperand(
               generic, ir_.api.mlirBlockArgumentGetArgNumber(argument)));
  }

  // Whether one of them is each element of the array.
  bool Fills(MlirValue array) {
    const MlirOperation op = ir_.DefinitionBeforeReshapes(array);
    if (!op.ptr) return false;
    if (ir_.Name(op) == "arith.constant") {
      return IsSplat(ir_, ir_.Attribute(op, "value"));
    }
    if (ir_.Name(op) == "linalg.fill") return Has(ir_.Operands(op).at(0));
    const MlirOperation yielded = YieldedBy(ir_, op);
    return yielded.ptr && Has(ir_.api.mlirOperationGetResult(yielded, 0));
  }

  const Ir& ir_;
  std::map<const void*, bool> known_;
};

size_t UsesOfAll(const Ir& ir, MlirOperation op) {
  size_t uses = 0;
  for (const MlirValue result : ir.Results(op)) uses += ir.Uses(result).size();
  return uses;
}

// Guards the value, or what it is computed from element by element.
void Guard(const Ir& ir, MlirValue value) {
  value = ir.BeforeReshapes(value);
  const MlirOperation op = ir.Definition(value);
  if (!IsGeneric(ir, op)) return;
  if (UsesOfAll(ir, op) > 1) return ir.PutBehindBarrier(value);
  if (IsReduction(ir, op)) return;
  for (const MlirValue operand : ir.Operands(op)) Guard(ir, operand);
}

}  // namespace

void GuardTakenParts(const Ir& ir) {
  KnownNumbers known(ir);
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "tensor.extract" ||
        !IsGeneric(ir, ir.api.mlirOperationGetParentOperation(op))) {
      continue;
    }
    const std::vector<MlirValue> operands = ir.Operands(op);
    if (std::any_of(operands.begin() + 1, operands.end(),
                    [&](MlirValue index) { return known.Has(index); })) {
      Guard(ir, operands.at(0));
    }
  }
}

}  // namespace iree_pjrt
