// SPDX-License-Identifier: Apache-2.0
// Reductions whose terms are all one number (`jnp.exp(jnp.full(50, 2.)).sum()`,
// `jnp.sum(~x ^ x)`). IREE (3.11, 3.13) finds that out when it fuses. It then
// vectorizes the reduction without counting how many elements a vector stands
// for, and leaves elements out. Of n equal terms the sum is n times the term,
// the product its power, and the largest the term itself: the pass reduces one
// term. Others get a barrier in their body, which keeps IREE for CPUs from
// vectorizing, and no inputs that they do not read: IREE would put them on the
// stack.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/generics.h"
#include "mlir/scalar_builder.h"
#include "rewrite/flow/passes.h"

namespace iree_pjrt {
namespace {

// The body of a reduction: its arguments are inputs, then what is reduced into.
class Terms {
 public:
  Terms(const Ir& ir, MlirOperation reduction)
      : ir_(ir),
        reduction_(reduction),
        body_(ir.Body(reduction)),
        inputs_(ir.api.mlirBlockGetNumArguments(body_) -
                ir.api.mlirOperationGetNumResults(reduction)) {}

  void Guard() const {
    if (ReduceOne()) return;
    if (PutBehindBarriers()) DropUnread();
  }

 private:
  // One term for all of them; false where they are not all one number, or the
  // reduction is of another kind.
  bool ReduceOne() const {
    const MlirOperation combine = YieldedBy(ir_, reduction_);
    if (!combine.ptr || ir_.Operands(combine).size() != 2) return false;
    const std::vector<MlirValue> operands = ir_.Operands(combine);
    const size_t place = IsReducedInto(operands[0]) ? 1 : 0;
    if (!IsReducedInto(operands[1 - place]) || !IsOneNumber(operands[place])) {
      return false;
    }
    for (intptr_t i = 0; i < inputs_; ++i) {
      if (IsRead(i)) return false;
    }
    const std::optional<int64_t> count = CountTerms();
    if (!count) return false;
    const auto term = Together(combine, operands[place], *count);
    if (!term) return false;
    ir_.api.mlirOperationSetOperand(combine, static_cast<intptr_t>(place),
                                    *term);
    for (intptr_t i = 0; i < inputs_; ++i) ReplaceInput(i, OneTermOf(i));
    return true;
  }

  // How many terms a result has; empty if that is not known, or none.
  std::optional<int64_t> CountTerms() const {
    const std::vector<LoopList> maps = IndexingMaps(ir_, reduction_);
    const LoopList& kept = maps.back();
    std::vector<int64_t> sizes;  // of loops
    for (intptr_t i = 0; i < inputs_; ++i) {
      if (!HasStaticShape(i)) return std::nullopt;
      const MlirType type = InputType(i);
      const LoopList& map = maps.at(static_cast<size_t>(i));
      for (size_t d = 0; d < map.size(); ++d) {
        if (map[d] == kNoLoop) return std::nullopt;
        const auto loop = static_cast<size_t>(map[d]);
        if (sizes.size() <= loop) sizes.resize(loop + 1, 1);
        sizes[loop] =
            ir_.api.mlirShapedTypeGetDimSize(type, static_cast<intptr_t>(d));
      }
    }
    int64_t count = 1;
    for (size_t loop = 0; loop < sizes.size(); ++loop) {
      const bool reduced =
          std::ranges::find(kept, static_cast<int64_t>(loop)) == kept.end();
      if (reduced) count *= sizes[loop];
    }
    if (count == 0) return std::nullopt;
    return count;
  }

  // What `count` equal terms are together; empty where that is not known.
  std::optional<MlirValue> Together(MlirOperation combine, MlirValue term,
                                    int64_t count) const {
    constexpr std::array<std::string_view, 12> kIdempotent = {
        "arith.maxsi",    "arith.minsi",    "arith.maxui",   "arith.minui",
        "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf",
        "arith.andi",     "arith.ori",      "math.maxnum",   "math.minnum"};
    const std::string_view name = ir_.Name(combine);
    const MlirType type = ir_.ResultTypes(combine).at(0);
    const ScalarBuilder builder(ir_, combine, type);
    if (std::ranges::find(kIdempotent, name) != kIdempotent.end()) return term;
    if (name == "arith.addi" && Holds(type, count)) {
      return builder.Apply("arith.muli", {term, builder.Constant(count)});
    }
    if (name == "arith.addf" && Holds(type, count)) {
      return builder.Apply(
          "arith.mulf", {term, builder.Constant(std::to_string(count) + ".0")});
    }
    if (name == "arith.mulf" || name == "arith.muli") {
      return Power(builder, name, term, count);
    }
    return std::nullopt;
  }

  // Whether a number type has the number of terms; narrow ones may not.
  bool Holds(MlirType type, int64_t count) const {
    if (ir_.api.mlirTypeIsAInteger(type)) {
      const unsigned width = ir_.api.mlirIntegerTypeGetWidth(type);
      return width > 63 || count < int64_t{1} << (width - 1);
    }
    const std::string name = ir_.Print(type);
    return name == "f64" || (name == "f32" && count <= 1 << 24);
  }

  static MlirValue Power(const ScalarBuilder& builder, std::string_view times,
                         MlirValue base, int64_t exponent) {
    std::optional<MlirValue> power;
    for (; exponent > 0; exponent /= 2) {
      if (exponent % 2 == 1) {
        power = power ? builder.Apply(times, {*power, base}) : base;
      }
      if (exponent > 1) base = builder.Apply(times, {base, base});
    }
    return *power;
  }

  MlirType InputType(intptr_t i) const {
    return ir_.api.mlirValueGetType(
        ir_.api.mlirOperationGetOperand(reduction_, i));
  }

  bool HasStaticShape(intptr_t i) const {
    const MlirType type = InputType(i);
    return ir_.api.mlirTypeIsAShaped(type) &&
           ir_.api.mlirShapedTypeHasStaticShape(type);
  }

  // Whether the body reads an input, of which only the shape may count.
  bool IsRead(intptr_t i) const {
    const MlirValue argument = ir_.api.mlirBlockGetArgument(body_, i);
    return ir_.api.mlirValueGetFirstUse(argument).ptr != nullptr;
  }

  // The type of an input with one element along each loop that reduces.
  MlirType OneTermOf(intptr_t i) const {
    const std::vector<LoopList> maps = IndexingMaps(ir_, reduction_);
    const LoopList& map = maps.at(static_cast<size_t>(i));
    const MlirType type = InputType(i);
    std::string text = "tensor<";
    for (size_t d = 0; d < map.size(); ++d) {
      const bool kept =
          std::ranges::find(maps.back(), map[d]) != maps.back().end();
      const int64_t size =
          ir_.api.mlirShapedTypeGetDimSize(type, static_cast<intptr_t>(d));
      text += std::to_string(kept ? size : 1) + "x";
    }
    return ir_.ParseType(
        text + ir_.Print(ir_.api.mlirShapedTypeGetElementType(type)) + ">");
  }

  void ReplaceInput(intptr_t i, MlirType type) const {
    const MlirOperation empty =
        ir_.CreateBefore(reduction_, "tensor.empty", {}, {type}, {});
    ir_.api.mlirOperationSetOperand(reduction_, i,
                                    ir_.api.mlirOperationGetResult(empty, 0));
  }

  bool PutBehindBarriers() const {
    bool any = false;
    for (MlirOperation op = ir_.api.mlirBlockGetFirstOperation(body_); op.ptr;
         op = ir_.api.mlirOperationGetNextInBlock(op)) {
      const std::vector<MlirValue> operands = ir_.Operands(op);
      if (ir_.ResultTypes(op).size() != 1 ||
          std::none_of(operands.begin(), operands.end(),
                       [&](MlirValue value) { return IsReducedInto(value); })) {
        continue;
      }
      for (size_t i = 0; i < operands.size(); ++i) {
        if (!IsReducedInto(operands[i]) && IsOneNumber(operands[i])) {
          ir_.api.mlirOperationSetOperand(op, static_cast<intptr_t>(i),
                                          ir_.Barrier(op, operands[i]));
          any = true;
        }
      }
    }
    return any;
  }

  // Drops inputs that the body no longer reads.
  void DropUnread() const {
    for (intptr_t i = 0; i < inputs_; ++i) {
      if (!IsRead(i) && HasStaticShape(i)) ReplaceInput(i, InputType(i));
    }
  }

  bool IsReducedInto(MlirValue value) const {
    const intptr_t n = ir_.api.mlirBlockGetNumArguments(body_);
    for (intptr_t i = inputs_; i < n; ++i) {
      if (ir_.api.mlirBlockGetArgument(body_, i).ptr == value.ptr) return true;
    }
    return false;
  }

  // Whether the value is the same for every element.
  bool IsOneNumber(MlirValue value) const {
    const MlirOperation op = ir_.Definition(value);
    if (!op.ptr) return false;
    if (ir_.api.mlirOperationGetBlock(op).ptr != body_.ptr) return true;
    const std::string_view name = ir_.Name(op);
    if (name == "linalg.index" || name == "tensor.extract") return false;
    const std::vector<MlirValue> operands = ir_.Operands(op);
    return std::all_of(operands.begin(), operands.end(),
                       [&](MlirValue operand) { return IsOneNumber(operand); });
  }

  const Ir& ir_;
  const MlirOperation reduction_;
  MlirBlock body_;
  intptr_t inputs_;
};

}  // namespace

void GuardConstantTerms(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsReduction(ir, op)) Terms(ir, op).Guard();
  }
}

}  // namespace iree_pjrt
