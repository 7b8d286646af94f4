// SPDX-License-Identifier: Apache-2.0
// The registers that a branch hands to a block. IREE 3.11 moves an i64 there as
// if it took one register, although it takes two. Where one of its registers
// was that of an i32, the move overwrites a value that is still to be moved.
// The pass gives such a block i64 arguments only.
//
// IREE also moves a reference that a branch hands over twice before it has
// copied it ("ref is null"). The pass makes a copy for each time but the last.
#include <map>
#include <set>

#include "rewrite/late/passes.h"

namespace iree_pjrt {
namespace {

// A branch to a block: its operands from `first_operand` on, one for each
// argument of the block.
struct Edge {
  MlirOperation branch;
  intptr_t first_operand;
};

class BlockArguments {
 public:
  explicit BlockArguments(const Ir& ir) : ir_(ir), i64_(ir.ParseType("i64")) {}

  void Separate() {
    for (const MlirOperation op : ir_.AllOperations()) AddEdges(op);
    for (const MlirBlock block : blocks_) {
      if (fixed_.contains(block.ptr)) continue;
      const std::vector<Edge>& edges = edges_.at(block.ptr);
      const intptr_t count = ir_.api.mlirBlockGetNumArguments(block);
      for (const Edge& edge : edges) CopyRepeated(edge, count);
      if (!IsMixed(block)) continue;
      for (intptr_t i = 0; i < count; ++i) Widen(block, edges, i);
    }
  }

 private:
  // The last operands of a branch go to its successors, in order.
  void AddEdges(MlirOperation op) {
    const intptr_t count = ir_.api.mlirOperationGetNumSuccessors(op);
    // The successor of a call gets the results of the call, not operands.
    const bool is_call = ir_.Name(op) == "vm.call.yieldable";
    intptr_t operand = ir_.api.mlirOperationGetNumOperands(op);
    for (intptr_t i = count - 1; i >= 0; --i) {
      const MlirBlock block = ir_.api.mlirOperationGetSuccessor(op, i);
      if (is_call) {
        fixed_.insert(block.ptr);
        continue;
      }
      operand -= ir_.api.mlirBlockGetNumArguments(block);
      std::vector<Edge>& edges = edges_[block.ptr];
      if (edges.empty()) blocks_.push_back(block);
      edges.push_back({op, operand});
    }
  }

  MlirType TypeOf(MlirBlock block, intptr_t i) const {
    return ir_.api.mlirValueGetType(ir_.api.mlirBlockGetArgument(block, i));
  }

  bool IsMixed(MlirBlock block) const {
    std::set<std::string> types;
    for (intptr_t i = 0; i < ir_.api.mlirBlockGetNumArguments(block); ++i) {
      types.insert(ir_.Print(TypeOf(block, i)));
    }
    return (types.contains("i32") || types.contains("f32")) &&
           (types.contains("i64") || types.contains("f64"));
  }

  MlirValue Convert(MlirOperation before, std::string_view name,
                    MlirValue value, MlirType to) const {
    return ir_.api.mlirOperationGetResult(
        ir_.CreateBefore(before, name, {value}, {to}, {}), 0);
  }

  // Makes an i64 of argument `i` if it is an i32 or f32.
  void Widen(MlirBlock block, const std::vector<Edge>& edges, intptr_t i) {
    const MlirType type = TypeOf(block, i);
    const std::string text = ir_.Print(type);
    const bool is_float = text == "f32";
    if (!is_float && text != "i32") return;
    const MlirType i32 = ir_.ParseType("i32");
    for (const Edge& edge : edges) {
      MlirValue value =
          ir_.api.mlirOperationGetOperand(edge.branch, edge.first_operand + i);
      if (is_float) {
        value = Convert(edge.branch, "vm.bitcast.f32.i32", value, i32);
      }
      ir_.api.mlirOperationSetOperand(
          edge.branch, edge.first_operand + i,
          Convert(edge.branch, "vm.ext.i32.i64.u", value, i64_));
    }
    const MlirValue argument = ir_.api.mlirBlockGetArgument(block, i);
    const MlirOperation first = ir_.api.mlirBlockGetFirstOperation(block);
    const MlirOperation truncated =
        ir_.CreateBefore(first, "vm.trunc.i64.i32", {argument}, {i32}, {});
    MlirValue value = ir_.api.mlirOperationGetResult(truncated, 0);
    if (is_float) value = Convert(first, "vm.bitcast.i32.f32", value, type);
    ir_.api.mlirValueReplaceAllUsesOfWith(argument, value);
    ir_.api.mlirOperationSetOperand(truncated, 0, argument);
    ir_.api.mlirValueSetType(argument, i64_);
  }

  void CopyRepeated(const Edge& edge, intptr_t count) {
    std::set<void*> later;
    for (intptr_t i = count - 1; i >= 0; --i) {
      const intptr_t operand = edge.first_operand + i;
      const MlirValue value =
          ir_.api.mlirOperationGetOperand(edge.branch, operand);
      const MlirType type = ir_.api.mlirValueGetType(value);
      if (!ir_.Print(type).starts_with("!vm.")) continue;
      if (later.insert(value.ptr).second) continue;
      ir_.api.mlirOperationSetOperand(
          edge.branch, operand,
          Convert(edge.branch, "vm.assign.ref", value, type));
    }
  }

  const Ir& ir_;
  const MlirType i64_;
  std::vector<MlirBlock> blocks_;
  std::map<void*, std::vector<Edge>> edges_;
  // Blocks whose arguments are the results of a call.
  std::set<void*> fixed_;
};

}  // namespace

void SeparateBlockArguments(const Ir& ir) { BlockArguments(ir).Separate(); }

}  // namespace iree_pjrt
