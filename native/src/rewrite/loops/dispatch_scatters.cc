// SPDX-License-Identifier: Apache-2.0
// IREE (3.11, 3.13) writes updates wherever an index says, without asking
// whether that is in the array; it reads the index again for each element of a
// row, and makes no vectors. And it takes what widens the updates into their
// dispatch, where it does not fit on the stack. Each scatter becomes a dispatch
// here that skips updates which do not fit and writes rows at once, in place.
#include <array>
#include <string>

#include "base/status.h"
#include "rewrite/loops/bits.h"
#include "rewrite/loops/buffers.h"
#include "rewrite/loops/dispatch_executable.h"
#include "rewrite/loops/dispatch_function.h"
#include "rewrite/loops/passes.h"
#include "rewrite/loops/scatter_loops.h"

namespace iree_pjrt {
namespace {

class ScatterDispatch {
 public:
  ScatterDispatch(const Ir& ir, MlirOperation scatter, const std::string& name)
      : ir_(ir),
        scatter_(scatter),
        executable_(ir, name),
        function_(executable_.function()),
        body_(ir.Body(function_)),
        buffers_(ir, function_) {
    if (ir.Operands(scatter).size() != kOperands) {
      throw LoopRefused{"a scatter with a mask"};
    }
  }

  void Dispatch() {
    std::vector<MlirValue> operands;
    for (const MlirValue operand : ir_.Operands(scatter_)) {
      operands.push_back(BytesOfBits(ir_, scatter_, operand));
    }
    Write(operands);
    const MlirValue result = ir_.Results(scatter_).at(0);
    const MlirValue made =
        executable_
            .Dispatch(scatter_, operands, {InBytes(ir_, result)}, {kTarget})
            .at(0);
    ir_.api.mlirValueReplaceAllUsesOfWith(
        result,
        BitsOfBytes(ir_, scatter_, made, ir_.api.mlirValueGetType(result)));
    ir_.api.mlirOperationDestroy(scatter_);
  }

 private:
  // Updates, indices and the array.
  static constexpr size_t kOperands = 3;
  static constexpr int64_t kTarget = 2;

  void Write(const std::vector<MlirValue>& operands) {
    const MlirOperation end = buffers_.start();
    DispatchFunction dispatch(ir_, function_, end);
    std::vector<View> views;
    for (const MlirValue operand : operands) {
      const MlirType type = ir_.api.mlirValueGetType(operand);
      const MlirValue argument = ir_.api.mlirBlockAddArgument(
          body_, type, ir_.api.mlirOperationGetLocation(scatter_));
      views.push_back(buffers_.Allocate(type, body_));
      const MlirValue memory = views.back().root->memref;
      views.size() > kTarget ? dispatch.InPlace(argument, memory)
                             : dispatch.Input(argument, memory);
    }
    const MlirOperation copy = Copy(end);
    MakeScatterLoops(ir_, buffers_, copy, views[0], views[1], views[kTarget]);
    ir_.api.mlirOperationDestroy(copy);
    dispatch.Finish({});
  }

  // The scatter, with the constants that its region uses.
  MlirOperation Copy(MlirOperation end) const {
    const MlirOperation copy = ir_.CloneBefore(end, scatter_);
    const MlirBlock region = ir_.Body(copy);
    for (const MlirOperation op : ir_.OperationsOf(region)) {
      const std::vector<MlirValue> operands = ir_.Operands(op);
      for (size_t i = 0; i < operands.size(); ++i) {
        if (ir_.HomeOf(operands[i]).ptr == region.ptr) continue;
        ir_.api.mlirOperationSetOperand(op, static_cast<intptr_t>(i),
                                        Constant(operands[i], copy));
      }
    }
    return copy;
  }

  MlirValue Constant(MlirValue value, MlirOperation before) const {
    const MlirOperation op = ir_.Definition(value);
    if (!op.ptr || !ir_.Operands(op).empty() || ir_.IsArray(value)) {
      throw LoopRefused{"a scatter that computes with more than its operands"};
    }
    return ir_.Results(ir_.CloneBefore(before, op)).at(0);
  }

  const Ir& ir_;
  const MlirOperation scatter_;
  const DispatchExecutable executable_;
  const MlirOperation function_;
  const MlirBlock body_;
  Buffers buffers_;
};

}  // namespace

void DispatchScatters(const Ir& ir) {
  int count = 0;
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "iree_linalg_ext.scatter") continue;
    try {
      ScatterDispatch(ir, op, "scatter_dispatch_" + std::to_string(count++))
          .Dispatch();
    } catch (const LoopRefused& refused) {
      ThrowUnimplemented(refused.why);
    }
  }
}

}  // namespace iree_pjrt
