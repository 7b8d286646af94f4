// SPDX-License-Identifier: Apache-2.0
// Programs of many arrays. IREE 3.11 fuses elementwise operations that depend
// on each other into one dispatch, and likewise single elements in a row,
// however many arrays they read and write. Its runtime then refuses dispatches
// of more than 32, or 64, operands, for GPUs of more than 16. The pass inserts
// barriers; a new dispatch begins behind each.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// False within a loop, where a barrier leaves IREE with values without buffers.
bool IsInFunction(const Ir& ir, MlirOperation op) {
  const MlirOperation parent = ir.api.mlirOperationGetParentOperation(op);
  return parent.ptr && ir.Name(parent) == "util.func";
}

// Whether every dispatch that reads the value makes it for itself.
bool IsMadeInPlace(const Ir& ir, MlirOperation op) {
  if (!op.ptr) return false;
  const std::string_view name = ir.Name(op);
  return name.starts_with("arith.") || name == "tensor.empty" ||
         name == "linalg.fill";
}

bool IsOfOneElement(const Ir& ir, MlirValue value) {
  const MlirType type = ir.api.mlirValueGetType(value);
  if (!ir.api.mlirTypeIsAShaped(type)) return true;
  if (!ir.api.mlirShapedTypeHasStaticShape(type)) return false;
  for (intptr_t i = 0; i < ir.api.mlirShapedTypeGetRank(type); ++i) {
    if (ir.api.mlirShapedTypeGetDimSize(type, i) > 1) return false;
  }
  return true;
}

bool IsOnOneElement(const Ir& ir, MlirOperation op) {
  if (!op.ptr || !IsInFunction(ir, op) || IsMadeInPlace(ir, op)) return false;
  const std::string_view name = ir.Name(op);
  if (!name.starts_with("linalg.") && !name.starts_with("tensor.extract") &&
      !name.starts_with("tensor.insert")) {
    return false;
  }
  const auto of_one = [&ir](MlirValue value) {
    return IsOfOneElement(ir, value);
  };
  return std::ranges::all_of(ir.Operands(op), of_one) &&
         std::ranges::all_of(ir.Results(op), of_one);
}

// Operations on one element that follow each other, and will be one dispatch.
class Row {
 public:
  explicit Row(const Ir& ir) : ir_(&ir) {}

  void Add(MlirOperation op) {
    if (!members_.insert(op.ptr).second) return;
    ops_.push_back(op);
  }

  bool empty() const { return ops_.empty(); }
  MlirOperation last() const { return ops_.back(); }

  // The arrays that the row reads and writes, together with operations in front
  // of it that nobody else needs.
  size_t CountArrays() const {
    Row all = *this;
    for (size_t i = 0; i < all.ops_.size(); ++i) {
      for (const MlirOperation before : all.OnlyNeededHere(all.ops_[i])) {
        all.Add(before);
      }
    }
    std::unordered_set<const void*> arrays;
    for (const MlirOperation op : all.ops_) {
      for (const MlirValue operand : ir_->Operands(op)) {
        const MlirValue source = ir_->BeforeReshapes(operand);
        const MlirOperation definition = ir_->Definition(source);
        if (!all.Has(definition) && !IsMadeInPlace(*ir_, definition)) {
          arrays.insert(source.ptr);
        }
      }
      for (const MlirValue result : ir_->Results(op)) {
        if (!all.HasUsersOf(result)) arrays.insert(result.ptr);
      }
    }
    return arrays.size();
  }

 private:
  bool Has(MlirOperation op) const { return members_.contains(op.ptr); }

  bool HasUsersOf(MlirValue result) const {
    return std::ranges::all_of(
        ir_->Uses(result), [this](const Use& use) { return Has(use.user); });
  }

  std::vector<MlirOperation> OnlyNeededHere(MlirOperation op) const {
    std::vector<MlirOperation> found;
    for (const MlirValue operand : ir_->Operands(op)) {
      const MlirOperation before = ir_->Definition(operand);
      if (!IsOnOneElement(*ir_, before)) continue;
      const auto results = ir_->Results(before);
      if (std::ranges::all_of(results, [this](MlirValue result) {
            return HasUsersOf(result);
          })) {
        found.push_back(before);
      }
    }
    return found;
  }

  const Ir* ir_;
  std::vector<MlirOperation> ops_;
  std::unordered_set<const void*> members_;
};

void BreakRows(const Ir& ir, const std::vector<MlirOperation>& ops,
               size_t most) {
  Row row(ir);
  for (const MlirOperation op : ops) {
    if (!IsOnOneElement(ir, op)) continue;
    Row longer = row;
    longer.Add(op);
    if (!row.empty() && longer.CountArrays() > most) {
      for (const MlirValue result : ir.Results(row.last())) {
        ir.PutBehindBarrier(result);
      }
      longer = Row(ir);
      longer.Add(op);
    }
    row = std::move(longer);
  }
}

using Arrays = std::unordered_set<const void*>;

// Counts the arrays that each result adds to the dispatch of its user. Only
// results of elementwise operations and reductions that have one user are
// counted.
class Chains {
 public:
  Chains(const Ir& ir, size_t most) : ir_(ir), most_(most) {}

  void Add(MlirOperation op) {
    Arrays arrays = ArraysOf(op);
    while (arrays.size() > most_) {
      const MlirValue largest = LargestOperand(op);
      if (!largest.ptr) break;
      ir_.PutBehindBarrier(largest);
      arrays = ArraysOf(op);
    }
    for (const MlirValue result : ir_.Results(op)) {
      if (ir_.Uses(result).size() == 1) known_[result.ptr] = arrays;
    }
  }

 private:
  Arrays ArraysOf(MlirOperation op) const {
    Arrays arrays;
    for (const MlirValue operand : ir_.Operands(op)) {
      const MlirValue source = ir_.BeforeReshapes(operand);
      const auto known = known_.find(source.ptr);
      if (known != known_.end()) {
        arrays.insert(known->second.begin(), known->second.end());
      } else if (!IsMadeInPlace(ir_, ir_.Definition(source))) {
        arrays.insert(source.ptr);
      }
    }
    return arrays;
  }

  // The operand that brings the most arrays; null if each brings only itself.
  MlirValue LargestOperand(MlirOperation op) const {
    MlirValue largest{nullptr};
    size_t most = 1;
    for (const MlirValue operand : ir_.Operands(op)) {
      const MlirValue source = ir_.BeforeReshapes(operand);
      const auto known = known_.find(source.ptr);
      if (known == known_.end() || known->second.size() <= most) continue;
      largest = source;
      most = known->second.size();
    }
    return largest;
  }

  const Ir& ir_;
  const size_t most_;
  std::unordered_map<const void*, Arrays> known_;
};

// A reduction of several arrays is a product, which IREE fuses with nothing in
// front of it.
bool IsFusedWithItsOperands(const Ir& ir, MlirOperation op) {
  if (!IsGeneric(ir, op) || !IsInFunction(ir, op)) return false;
  return !IsReduction(ir, op) || ir.api.mlirOperationGetNumOperands(op) == 2;
}

}  // namespace

void LimitDispatchOperands(const Ir& ir, size_t most) {
  const std::vector<MlirOperation> ops = ir.AllOperations();
  Chains chains(ir, most);
  for (const MlirOperation op : ops) {
    if (IsFusedWithItsOperands(ir, op)) chains.Add(op);
  }
  BreakRows(ir, ops, most);
}

}  // namespace iree_pjrt
