// SPDX-License-Identifier: Apache-2.0
// Results of conditionals and loops that somebody else still reads. Such a
// result may be a value from outside: the operand of `lax.cond(p, f, lambda x:
// x, x)`, or the start of a loop that does not run. IREE 3.11 takes every such
// result for a buffer of its own, and lets later operations write into it, or
// into the value from outside.
//
// The pass adds a use of both at the end of the block. IREE then copies exactly
// where it would have written. The same holds for what a loop carries from one
// turn to the next. What a loop starts from needs no such use: IREE knows that
// the loop may not write into it.
#include <algorithm>
#include <unordered_set>

#include "mlir/attributes.h"
#include "rewrite/flow/passes.h"

namespace iree_pjrt {
namespace {

// Who else may read a value that is handed on.
enum class Sharing { kNone, kStartOfLoop, kShared };

bool IsLoop(std::string_view name) {
  return name == "scf.while" || name == "scf.for";
}

bool HandsOn(std::string_view name) {
  return name == "scf.yield" || name == "scf.condition" || IsLoop(name);
}

bool IsView(const Ir& ir, MlirOperation op) {
  return ir.IsReshape(op) || ir.Name(op) == "util.optimization_barrier";
}

// Whether IREE makes the value anew for each user.
bool IsMadeAnew(const Ir& ir, MlirOperation op) {
  const std::string_view name = ir.Name(op);
  return name == "flow.tensor.splat" || name == "flow.tensor.empty" ||
         IsSplat(ir, ir.Attribute(op, "value"));
}

bool IsConstant(std::string_view name) {
  return name == "arith.constant" || name == "flow.tensor.constant" ||
         name == "util.global.load";
}

class SharedResults {
 public:
  explicit SharedResults(const Ir& ir) : ir_(ir) {
    for (const MlirOperation op : ir.AllOperations()) {
      if (ir.Name(op).starts_with("scf.") &&
          ir.api.mlirOperationGetNumResults(op) > 0) {
        regions_.push_back(op);
      }
    }
  }

  void Keep() {
    do {
      changed_ = false;
      for (const MlirOperation op : regions_) Visit(op);
    } while (changed_);
  }

 private:
  void Visit(MlirOperation op) {
    const std::string_view name = ir_.Name(op);
    if (name == "scf.while") return VisitWhile(op);
    if (name == "scf.for") return VisitFor(op);
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumRegions(op); ++i) {
      const MlirOperation end = End(op, i);
      if (end.ptr) ToResults(op, end, 0);
    }
  }

  void VisitWhile(MlirOperation op) {
    const MlirOperation condition = End(op, 0), yield = End(op, 1);
    ToArguments(op, Block(op, 0), 0, 0);
    ToArguments(yield, Block(op, 0), 0, 0);
    ToArguments(condition, Block(op, 1), 1, 0);
    ToResults(op, condition, 1);
  }

  void VisitFor(MlirOperation op) {
    const MlirOperation yield = End(op, 0);
    // The first operands are the bounds and the step; the first argument is the
    // number of the turn.
    ToArguments(op, Block(op, 0), 3, 1);
    ToArguments(yield, Block(op, 0), 0, 1);
    ToResults(op, op, 3);
    ToResults(op, yield, 0);
  }

  // `from` hands its operands, from number `first` on, to the results of `op`.
  void ToResults(MlirOperation op, MlirOperation from, intptr_t first) {
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumResults(op); ++i) {
      const MlirValue operand =
          ir_.api.mlirOperationGetOperand(from, first + i);
      const Sharing sharing = SharingOf(operand, from);
      if (sharing == Sharing::kNone) continue;
      Keep(ir_.api.mlirOperationGetResult(op, i));
      if (sharing == Sharing::kShared) Keep(Whole(operand));
    }
  }

  void ToArguments(MlirOperation from, MlirBlock block, intptr_t first,
                   intptr_t first_argument) {
    const intptr_t count = ir_.api.mlirOperationGetNumOperands(from);
    for (intptr_t i = first; i < count; ++i) {
      const MlirValue argument =
          ir_.api.mlirBlockGetArgument(block, i - first + first_argument);
      const MlirValue operand = ir_.api.mlirOperationGetOperand(from, i);
      Sharing sharing = SharingOf(operand, from);
      if (IsLoop(ir_.Name(from)) && !IsTwiceIn(operand, from)) {
        sharing = std::min(sharing, Sharing::kStartOfLoop);
      }
      if (sharing == Sharing::kShared) Keep(argument);
      if (sharing == Sharing::kStartOfLoop) {
        changed_ |= starts_.insert(argument.ptr).second;
      }
    }
  }

  void Keep(MlirValue value) {
    if (!ir_.Print(ir_.api.mlirValueGetType(value)).starts_with("tensor<") ||
        !kept_.insert(value.ptr).second) {
      return;
    }
    changed_ = true;
    KeepViews(value);
    ir_.Barrier(ir_.Terminator(ir_.HomeOf(value)), value);
  }

  // Keeps views of the value, too: to IREE, a view behind a barrier is another
  // value.
  void KeepViews(MlirValue value) {
    for (const auto& [user, operand] : ir_.Uses(value)) {
      if (!IsView(ir_, user)) continue;
      Keep(ir_.api.mlirOperationGetResult(user, 0));
    }
  }

  Sharing SharingOf(MlirValue value, MlirOperation by) const {
    const MlirValue whole = Whole(value);
    const MlirOperation source = ir_.Definition(whole);
    if (source.ptr && IsMadeAnew(ir_, source)) return Sharing::kNone;
    if ((source.ptr && IsConstant(ir_.Name(source))) ||
        kept_.contains(whole.ptr) || CrossesLoop(whole, by) ||
        IsTwiceIn(value, by) || IsReadElsewhere(whole, by)) {
      return Sharing::kShared;
    }
    return starts_.contains(whole.ptr) ? Sharing::kStartOfLoop : Sharing::kNone;
  }

  // The value that this one is a view of.
  MlirValue Whole(MlirValue value) const {
    for (MlirOperation op;
         (op = ir_.Definition(value)).ptr && IsView(ir_, op);) {
      value = ir_.api.mlirOperationGetOperand(op, 0);
    }
    return value;
  }

  bool IsTwiceIn(MlirValue value, MlirOperation op) const {
    const std::vector<MlirValue> operands = ir_.Operands(op);
    const MlirValue whole = Whole(value);
    return std::count_if(operands.begin(), operands.end(),
                         [&](MlirValue operand) {
                           return Whole(operand).ptr == whole.ptr;
                         }) > 1;
  }

  // Whether `by` runs several times for each time that the value is computed.
  bool CrossesLoop(MlirValue whole, MlirOperation by) const {
    const MlirBlock home = ir_.HomeOf(whole);
    for (MlirOperation op = by;
         ir_.api.mlirOperationGetBlock(op).ptr != home.ptr;) {
      op = ir_.api.mlirOperationGetParentOperation(op);
      if (IsLoop(ir_.Name(op))) return true;
    }
    return false;
  }

  // Whether an operation other than `by` reads the value or a view of it
  // afterwards, or has handed it on.
  bool IsReadElsewhere(MlirValue value, MlirOperation by) const {
    return std::ranges::any_of(ir_.Uses(value), [&](const Use& use) {
      const MlirOperation user = use.user;
      if (user.ptr == by.ptr) return false;
      return (IsView(ir_, user) &&
              IsReadElsewhere(ir_.api.mlirOperationGetResult(user, 0), by)) ||
             Conflicts(user, by);
    });
  }

  // Compares what holds the two operations in the innermost block that both are
  // in.
  bool Conflicts(MlirOperation user, MlirOperation by) const {
    for (MlirOperation a = by; a.ptr;
         a = ir_.api.mlirOperationGetParentOperation(a)) {
      const MlirBlock block = ir_.api.mlirOperationGetBlock(a);
      if (!block.ptr) return false;
      const MlirOperation u = ir_.AncestorIn(block, user);
      if (!u.ptr) continue;
      // Two regions of a conditional exclude each other.
      if (u.ptr == a.ptr) return IsLoop(ir_.Name(a));
      return HandsOn(ir_.Name(user)) || IsBefore(a, u);
    }
    return false;
  }

  bool IsBefore(MlirOperation first, MlirOperation second) const {
    for (MlirOperation op = first; op.ptr;
         op = ir_.api.mlirOperationGetNextInBlock(op)) {
      if (op.ptr == second.ptr) return true;
    }
    return false;
  }

  MlirBlock Block(MlirOperation op, intptr_t region) const {
    return ir_.api.mlirRegionGetFirstBlock(
        ir_.api.mlirOperationGetRegion(op, region));
  }

  // The terminator of the region; null if the region is empty.
  MlirOperation End(MlirOperation op, intptr_t region) const {
    const MlirBlock block = Block(op, region);
    return block.ptr ? ir_.Terminator(block) : MlirOperation{nullptr};
  }

  const Ir& ir_;
  std::vector<MlirOperation> regions_;
  std::unordered_set<const void*> kept_;
  // Values that a loop carries and that may be those from which it starts.
  std::unordered_set<const void*> starts_;
  bool changed_ = false;
};

}  // namespace

void KeepSharedResults(const Ir& ir) { SharedResults(ir).Keep(); }

}  // namespace iree_pjrt
