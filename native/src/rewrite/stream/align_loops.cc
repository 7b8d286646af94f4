// SPDX-License-Identifier: Apache-2.0
// Loops whose results do not match what they carry, in number or order. IREE
// 3.11 takes the n-th carried value for the n-th result. Its analysis of
// affinities then reads past the end, and its conversion to streams gives the
// body arguments of the wrong types; both crash. The pass gives such a loop one
// result for each carried value, and one carried value for each result.
#include <algorithm>
#include <optional>

#include "base/status.h"
#include "rewrite/stream/passes.h"

namespace iree_pjrt {
namespace {

bool IsStream(const Ir& ir, MlirType type) {
  return ir.Print(type).starts_with("!stream.");
}

// Zero, as text; empty for types that have none.
std::string Zero(const std::string& type) {
  if (type == "i1") return "false";
  if (type.starts_with("i")) return "0 : " + type;
  if (type.starts_with("f") || type.starts_with("bf")) return "0.0 : " + type;
  return "";
}

// A value of the type that nothing depends on; null if none can be made.
MlirValue Unused(const Ir& ir, MlirOperation before, MlirType type) {
  const std::string text = ir.Print(type);
  const bool tensor =
      text.starts_with("tensor<") && ir.api.mlirShapedTypeHasStaticShape(type);
  if (!tensor && Zero(text).empty()) return {nullptr};
  const MlirOperation made =
      tensor ? ir.CreateBefore(before, "flow.tensor.empty", {}, {type}, {})
             : ir.CreateBefore(before, "arith.constant", {}, {type},
                               {ir.Named("value", ir.Parse(Zero(text)))});
  return ir.api.mlirOperationGetResult(made, 0);
}

// A loop while it is taken apart. Slot n is the n-th value that it carries and,
// in the end, its n-th result.
class Loop {
 public:
  Loop(const Ir& ir, MlirOperation op)
      : ir_(ir),
        op_(op),
        before_(ir.api.mlirRegionGetFirstBlock(
            ir.api.mlirOperationGetRegion(op, 0))),
        after_(ir.api.mlirRegionGetFirstBlock(
            ir.api.mlirOperationGetRegion(op, 1))),
        carried_(ir.Operands(op)),
        result_types_(ir.ResultTypes(op)) {}

  bool IsAligned() const {
    if (carried_.size() != result_types_.size()) {
      // Where streams have been made, only the analysis of affinities follows.
      return carried_.size() < result_types_.size() && HoldsStreams();
    }
    return HoldsStreams() ||
           std::equal(carried_.begin(), carried_.end(), result_types_.begin(),
                      [this](MlirValue value, MlirType type) {
                        return Has(value, type);
                      });
  }

  void Align() {
    const MlirOperation condition = ir_.Terminator(before_);
    const std::vector<size_t> slots = Slots();
    std::vector<MlirValue> forwarded = ir_.Operands(condition);
    const MlirValue again = forwarded.front();
    forwarded.erase(forwarded.begin());

    // A carried value without a result is handed on as it came.
    std::vector<MlirValue> by_slot(slot_count_);
    for (size_t i = 0; i < carried_.size(); ++i) {
      by_slot[i] =
          ir_.api.mlirBlockGetArgument(before_, static_cast<intptr_t>(i));
    }
    for (size_t i = 0; i < slots.size(); ++i) by_slot[slots[i]] = forwarded[i];
    std::vector<MlirType> types;
    for (const MlirValue value : by_slot) {
      types.push_back(ir_.api.mlirValueGetType(value));
    }
    TakeArguments(slots, types);
    ExtendYield();
    by_slot.insert(by_slot.begin(), again);
    ir_.CreateBefore(condition, "scf.condition", by_slot, {}, {});
    ir_.api.mlirOperationDestroy(condition);
    Rebuild(slots, types);
  }

 private:
  bool Has(MlirValue value, MlirType type) const {
    return ir_.api.mlirTypeEqual(ir_.api.mlirValueGetType(value), type);
  }

  bool HoldsStreams() const {
    return std::any_of(carried_.begin(), carried_.end(),
                       [this](MlirValue value) {
                         return IsStream(ir_, ir_.api.mlirValueGetType(value));
                       }) ||
           std::any_of(result_types_.begin(), result_types_.end(),
                       [this](MlirType type) { return IsStream(ir_, type); });
  }

  // The slot of each result; adds values to carry where there is none.
  std::vector<size_t> Slots() {
    std::vector<std::optional<size_t>> slots(result_types_.size());
    std::vector<bool> taken(carried_.size());
    const auto take = [&](size_t result, size_t slot) {
      if (slots[result] || taken[slot]) return;
      if (!Has(carried_[slot], result_types_[result])) return;
      slots[result] = slot;
      taken[slot] = true;
    };
    for (size_t i = 0; i < std::min(slots.size(), taken.size()); ++i) {
      take(i, i);
    }
    for (size_t i = 0; i < slots.size(); ++i) {
      for (size_t slot = 0; slot < taken.size(); ++slot) take(i, slot);
    }
    slot_count_ = carried_.size();
    return Filled(slots);
  }

  std::vector<size_t> Filled(const std::vector<std::optional<size_t>>& slots) {
    std::vector<size_t> filled;
    for (size_t i = 0; i < slots.size(); ++i) {
      filled.push_back(slots[i] ? *slots[i] : slot_count_++);
      if (!slots[i] && !HoldsStreams()) Carry(result_types_[i]);
    }
    return filled;
  }

  void Carry(MlirType type) {
    const MlirValue unused = Unused(ir_, op_, type);
    if (!unused.ptr) {
      throw Error(PJRT_Error_Code_UNIMPLEMENTED,
                  "a loop over values of the type " + ir_.Print(type));
    }
    carried_.push_back(unused);
    ir_.api.mlirBlockAddArgument(before_, type,
                                 ir_.api.mlirOperationGetLocation(op_));
  }

  // The arguments of the body, in the order of the slots.
  void TakeArguments(const std::vector<size_t>& slots,
                     const std::vector<MlirType>& types) {
    const intptr_t old = ir_.api.mlirBlockGetNumArguments(after_);
    for (const MlirType type : types) {
      ir_.api.mlirBlockAddArgument(after_, type,
                                   ir_.api.mlirOperationGetLocation(op_));
    }
    for (intptr_t i = 0; i < old; ++i) {
      const auto slot = static_cast<intptr_t>(slots[static_cast<size_t>(i)]);
      ir_.api.mlirValueReplaceAllUsesOfWith(
          ir_.api.mlirBlockGetArgument(after_, i),
          ir_.api.mlirBlockGetArgument(after_, old + slot));
    }
    for (intptr_t i = 0; i < old; ++i) {
      ir_.api.mlirBlockEraseArgument(after_, 0);
    }
  }

  // An added value comes back from each turn unchanged.
  void ExtendYield() {
    const MlirOperation yield = ir_.Terminator(after_);
    std::vector<MlirValue> yielded = ir_.Operands(yield);
    if (yielded.size() == carried_.size()) return;
    while (yielded.size() < carried_.size()) {
      yielded.push_back(ir_.api.mlirBlockGetArgument(
          after_, static_cast<intptr_t>(yielded.size())));
    }
    ir_.CreateBefore(yield, "scf.yield", yielded, {}, {});
    ir_.api.mlirOperationDestroy(yield);
  }

  void Rebuild(const std::vector<size_t>& slots,
               const std::vector<MlirType>& types) {
    const MlirOperation made =
        ir_.CreateBefore(op_, "scf.while", carried_, types, {}, 2);
    for (intptr_t i = 0; i < 2; ++i) {
      ir_.api.mlirRegionTakeBody(ir_.api.mlirOperationGetRegion(made, i),
                                 ir_.api.mlirOperationGetRegion(op_, i));
    }
    std::vector<MlirValue> values;
    for (const size_t slot : slots) {
      values.push_back(
          ir_.api.mlirOperationGetResult(made, static_cast<intptr_t>(slot)));
    }
    ir_.Replace(op_, values);
  }

  const Ir& ir_;
  const MlirOperation op_;
  const MlirBlock before_;
  const MlirBlock after_;
  std::vector<MlirValue> carried_;
  const std::vector<MlirType> result_types_;
  size_t slot_count_ = 0;
};

}  // namespace

void AlignLoops(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "scf.while") continue;
    Loop loop(ir, op);
    if (!loop.IsAligned()) loop.Align();
  }
}

}  // namespace iree_pjrt
