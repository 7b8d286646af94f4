// SPDX-License-Identifier: Apache-2.0
// Arrays that a loop carries. IREE (3.11, 3.13) does not know on which device
// they are, and has each turn transfer them to where they are already: a loop
// that writes one row a turn copies all rows each time. Where nobody else has
// the array, the turn takes what it was given, and writes into it what comes of
// all that the turn has read there.
#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "rewrite/stream/passes.h"

namespace iree_pjrt {
namespace {

// Bounds and step come before what a `scf.for` starts from; the number of the
// turn, before what its body carries.
constexpr size_t kBounds = 3;

bool IsUsedOnce(const Ir& ir, MlirValue value) {
  return ir.Uses(value).size() == 1;
}

// Whether the memory of the value is its own.
bool IsMade(const Ir& ir, MlirValue value) {
  const MlirOperation source = ir.Definition(value);
  if (!source.ptr) return false;
  const std::string_view name = ir.Name(source);
  return name.starts_with("stream.async.") && name != "stream.async.constant";
}

// What is computed in a block before `op`, and `op` needs.
class NeededBy {
 public:
  NeededBy(const Ir& ir, MlirOperation op)
      : ir_(ir), block_(ir.api.mlirOperationGetBlock(op)) {
    Add(op);
  }

  bool Has(MlirOperation op) const { return needed_.contains(op.ptr); }

 private:
  void Add(MlirOperation op) {
    for (const MlirValue operand : ir_.Operands(op)) {
      const MlirOperation source = ir_.Definition(operand);
      if (source.ptr && ir_.HomeOf(operand).ptr == block_.ptr &&
          needed_.insert(source.ptr).second) {
        Add(source);
      }
    }
  }

  const Ir& ir_;
  const MlirBlock block_;
  std::unordered_set<const void*> needed_;
};

// Copies of an array for the only operation that writes into it, where that
// needs what all others have read there: they are done.
void RemoveCopiesOf(const Ir& ir, MlirValue array) {
  for (const Use& use : ir.Uses(array)) {
    const MlirOperation copy = use.user;
    if (ir.Name(copy) != "stream.async.clone" ||
        !ir.api.mlirTypeEqual(ir.ResultTypes(copy).at(0),
                              ir.api.mlirValueGetType(array))) {
      continue;
    }
    const std::vector<Use> written = ir.Uses(ir.Results(copy).at(0));
    const MlirBlock body = ir.HomeOf(array);
    if (written.empty() ||
        !std::ranges::all_of(written,
                             [&](const Use& one) {
                               return one.user.ptr == written[0].user.ptr;
                             }) ||
        ir.api.mlirOperationGetBlock(written[0].user).ptr != body.ptr) {
      continue;
    }
    const NeededBy needed(ir, written[0].user);
    if (std::ranges::all_of(ir.Uses(array), [&](const Use& other) {
          return other.user.ptr == copy.ptr || needed.Has(other.user);
        })) {
      ir.Replace(copy, {array});
      return;
    }
  }
}

// A transfer of what a loop carries, to the kind of memory that it is in.
class CarriedTransfer {
 public:
  CarriedTransfer(const Ir& ir, MlirOperation op)
      : ir_(ir), op_(op), carried_(ir.Operands(op).at(0)) {
    const MlirBlock body = ir.api.mlirOperationGetBlock(op);
    if (ir.Definition(carried_).ptr || ir.HomeOf(carried_).ptr != body.ptr) {
      return;
    }
    const MlirOperation around = ir.api.mlirBlockGetParentOperation(body);
    if (!around.ptr || ir.Name(around) != "scf.for") return;
    const intptr_t count = ir.api.mlirBlockGetNumArguments(body);
    for (intptr_t i = 1; i < count; ++i) {
      if (ir.api.mlirBlockGetArgument(body, i).ptr == carried_.ptr) {
        place_ = static_cast<size_t>(i - 1);
        loop_ = around;
      }
    }
  }

  // Nobody has the array beside the loop, nor what a turn leaves in its place.
  bool IsIdle() const {
    if (!loop_.ptr ||
        !ir_.api.mlirTypeEqual(ir_.ResultTypes(op_).at(0),
                               ir_.api.mlirValueGetType(carried_))) {
      return false;
    }
    const MlirBlock body = ir_.Body(loop_);
    const MlirValue left = ir_.Operands(ir_.Terminator(body)).at(place_);
    return IsUsedOnce(ir_, carried_) && IsUsedOnce(ir_, left) &&
           IsMade(ir_, left) && ir_.HomeOf(left).ptr == body.ptr &&
           SizesAreOutside(body);
  }

  void Remove() const {
    const MlirValue start = ir_.Operands(loop_).at(kBounds + place_);
    if (!IsUsedOnce(ir_, start) || !IsMade(ir_, start)) {
      const MlirOperation first = ir_.CloneBefore(loop_, op_);
      ir_.api.mlirOperationSetOperand(first, 0, start);
      ir_.api.mlirOperationSetOperand(loop_,
                                      static_cast<intptr_t>(kBounds + place_),
                                      ir_.Results(first).at(0));
    }
    ir_.Replace(op_, {carried_});
    RemoveCopiesOf(ir_, carried_);
  }

 private:
  bool SizesAreOutside(MlirBlock body) const {
    const std::vector<MlirValue> operands = ir_.Operands(op_);
    return std::ranges::all_of(
        operands.begin() + 1, operands.end(),
        [&](MlirValue size) { return ir_.HomeOf(size).ptr != body.ptr; });
  }

  const Ir& ir_;
  const MlirOperation op_;
  const MlirValue carried_;
  MlirOperation loop_{nullptr};
  size_t place_ = 0;
};

}  // namespace

void WriteCarriedInPlace(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "stream.async.transfer") continue;
    const CarriedTransfer transfer(ir, op);
    if (transfer.IsIdle()) transfer.Remove();
  }
}

}  // namespace iree_pjrt
