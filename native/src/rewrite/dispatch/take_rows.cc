// SPDX-License-Identifier: Apache-2.0
// Rows that are taken by index: embeddings, messages between nodes of a graph.
// Where the indices are an input of the loops, IREE (3.11, 3.13) makes vectors
// of them, and takes each element of a row by an index of its own. Read by
// place, an index is one number for a row, and the row's elements are read side
// by side: a third of the time.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/generics.h"
#include "mlir/slices.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// A generic whose last loop runs along the rows of its result.
class RowLoops {
 public:
  RowLoops(const Ir& ir, MlirOperation op)
      : ir_(ir), op_(op), body_(ir.Body(op)), maps_(IndexingMaps(ir, op)) {}

  void TakeRows() {
    if (maps_.empty() || maps_.back().empty()) return;
    along_ = maps_.back().back();
    for (MlirOperation inner = ir_.api.mlirBlockGetFirstOperation(body_);
         inner.ptr; inner = ir_.api.mlirOperationGetNextInBlock(inner)) {
      if (TakesAlong(inner)) CollectIndices(inner);
    }
    for (const unsigned input : inputs_) ReadByPlace(input);
  }

 private:
  // Whether the elements that it takes lie side by side, as the result's do.
  bool TakesAlong(MlirOperation op) const {
    if (ir_.Name(op) != "tensor.extract") return false;
    const std::vector<MlirValue> operands = ir_.Operands(op);
    return operands.size() > 2 && LoopOf(ir_, operands.back()) == along_ &&
           LiesSideBySide(operands.front());
  }

  void CollectIndices(MlirOperation extract) {
    const std::vector<MlirValue> operands = ir_.Operands(extract);
    std::for_each(operands.begin() + 1, operands.end() - 1,
                  [&](MlirValue index) { CollectInputs(index); });
  }

  // The inputs that a number in the body is computed of.
  void CollectInputs(MlirValue number) {
    const MlirOperation op = ir_.Definition(number);
    if (op.ptr) {
      if (ir_.api.mlirOperationGetBlock(op).ptr != body_.ptr) return;
      for (const MlirValue operand : ir_.Operands(op)) CollectInputs(operand);
    } else if (ir_.api.mlirBlockArgumentGetOwner(number).ptr == body_.ptr) {
      const auto input =
          static_cast<unsigned>(ir_.api.mlirBlockArgumentGetArgNumber(number));
      if (IsOfRows(input)) inputs_.insert(input);
    }
  }

  // Whether it has one element for each row.
  bool IsOfRows(unsigned input) const {
    return input + 1 < maps_.size() &&
           LiesSideBySide(ir_.api.mlirOperationGetOperand(op_, input)) &&
           std::ranges::none_of(maps_[input], [&](int64_t loop) {
             return loop == along_ || loop == kNoLoop;
           });
  }

  // What the dispatch computes itself does not lie there to be read by place,
  // and of vectors of every other element IREE 3.11 makes no code.
  bool LiesSideBySide(MlirValue array) const {
    const MlirOperation load = ir_.Definition(array);
    if (!load.ptr || ir_.Name(load).find("load") == std::string_view::npos) {
      return false;
    }
    const MlirOperation view =
        ir_.Definition(ir_.api.mlirOperationGetOperand(load, 0));
    return !HasSteps(load) && !HasSteps(view);
  }

  bool HasSteps(MlirOperation op) const {
    return op.ptr && ir_.Attribute(op, "static_strides").ptr &&
           !HasUnitSteps(ir_, op);
  }

  void ReadByPlace(unsigned input) const {
    const MlirValue argument = ir_.api.mlirBlockGetArgument(body_, input);
    const MlirOperation first = ir_.api.mlirBlockGetFirstOperation(body_);
    std::vector<MlirValue> operands = {
        ir_.api.mlirOperationGetOperand(op_, input)};
    for (const int64_t loop : maps_[input]) {
      operands.push_back(MakeLoopIndex(ir_, first, loop));
    }
    const MlirOperation element =
        ir_.CreateBefore(first, "tensor.extract", operands,
                         {ir_.api.mlirValueGetType(argument)}, {});
    ir_.api.mlirValueReplaceAllUsesOfWith(argument, ir_.Results(element).at(0));
  }

  const Ir& ir_;
  const MlirOperation op_;
  const MlirBlock body_;
  const std::vector<std::vector<int64_t>> maps_;
  int64_t along_ = kNoLoop;
  std::set<unsigned> inputs_;
};

}  // namespace

void TakeRows(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (IsGeneric(ir, op)) RowLoops(ir, op).TakeRows();
  }
}

}  // namespace iree_pjrt
