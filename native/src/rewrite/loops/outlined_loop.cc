// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/outlined_loop.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "mlir/attributes.h"
#include "rewrite/loops/bits.h"
#include "rewrite/loops/buffers.h"
#include "rewrite/loops/dispatch_function.h"

namespace iree_pjrt {
namespace {

// Below what IREE's runtime takes.
constexpr size_t kMostArrays = 24;

}  // namespace

OutlinedLoop::OutlinedLoop(const Ir& ir, MlirOperation loop,
                           const std::string& name)
    : ir_(ir),
      loop_(loop),
      executable_(ir, name),
      function_(executable_.function()) {
  Copy();
  RemoveBarriers();
  Return();
}

// Copies the loop; it uses only what is in the function.
void OutlinedLoop::Copy() {
  copy_ = ir_.CloneBefore(ir_.Terminator(ir_.Body(function_)), loop_);
  const std::vector<MlirOperation> all =
      Ir{ir_.api, ir_.context, copy_}.AllOperations();
  std::unordered_set<const void*> blocks;
  for (const MlirOperation op : all) {
    if (op.ptr == copy_.ptr) continue;
    blocks.insert(ir_.api.mlirOperationGetBlock(op).ptr);
  }
  for (const MlirOperation op : all) {
    const std::vector<MlirValue> operands = ir_.Operands(op);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (blocks.contains(ir_.HomeOf(operands[i]).ptr)) continue;
      ir_.api.mlirOperationSetOperand(op, static_cast<intptr_t>(i),
                                      Inside(operands[i]));
    }
  }
}

// Barriers are there for what IREE would do with the loop.
void OutlinedLoop::RemoveBarriers() {
  for (const MlirOperation op :
       Ir{ir_.api, ir_.context, copy_}.AllOperations()) {
    if (ir_.Name(op) == "util.optimization_barrier") {
      ir_.Replace(op, ir_.Operands(op));
    }
  }
}

// What the function has for a value of the program.
MlirValue OutlinedLoop::Inside(MlirValue value) {
  const auto found = inside_.find(value.ptr);
  if (found != inside_.end()) return found->second;
  const MlirValue own = Found(value, ir_.Definition(value));
  inside_.emplace(value.ptr, own);
  return own;
}

MlirValue OutlinedLoop::Found(MlirValue value, MlirOperation made) {
  const std::string_view name = made.ptr ? ir_.Name(made) : "";
  if (name == "tensor.empty") return Copied(made);
  // A table of numbers is an operand.
  if (name == "arith.constant" &&
      (!ir_.IsArray(value) || IsSplat(ir_, ir_.Attribute(made, "value")))) {
    return Copied(made);
  }
  // A number that is read from an array is read in the dispatch: the program
  // would wait for it.
  if (!ir_.IsArray(value) &&
      (name.starts_with("arith.") || name == "complex.constant" ||
       name == "tensor.extract")) {
    return Copied(made);
  }
  return Argument(value);
}

MlirValue OutlinedLoop::Copied(MlirOperation op) {
  std::vector<MlirValue> operands;
  for (const MlirValue operand : ir_.Operands(op)) {
    operands.push_back(Inside(operand));
  }
  const MlirOperation own = ir_.CloneBefore(copy_, op);
  for (size_t i = 0; i < operands.size(); ++i) {
    ir_.api.mlirOperationSetOperand(own, static_cast<intptr_t>(i), operands[i]);
  }
  return ir_.Results(own).at(0);
}

MlirValue OutlinedLoop::Argument(MlirValue value) {
  const MlirType type = ir_.api.mlirValueGetType(value);
  const std::string text = ir_.Print(type);
  constexpr std::array<std::string_view, 5> kScalars{"index", "i32", "i64",
                                                     "f32", "f64"};
  if (!ir_.IsArray(value) &&
      std::ranges::find(kScalars, text) == kScalars.end()) {
    throw LoopRefused{"a scalar of type " + text};
  }
  operands_.push_back(value);
  const MlirValue argument =
      ir_.api.mlirBlockAddArgument(ir_.Body(function_), InBytes(ir_, value),
                                   ir_.api.mlirOperationGetLocation(loop_));
  return BitsOfBytes(ir_, copy_, argument, type);
}

void OutlinedLoop::Return() {
  const MlirBlock body = ir_.Body(function_);
  const MlirOperation end = ir_.Terminator(body);
  std::vector<MlirValue> returned;
  std::vector<MlirType> types;
  for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumResults(loop_); ++i) {
    const MlirValue result = ir_.api.mlirOperationGetResult(loop_, i);
    if (ir_.Uses(result).empty()) continue;
    if (!ir_.IsArray(result)) throw LoopRefused{"a result of no array"};
    results_.push_back(result);
    const MlirValue own =
        BytesOfBits(ir_, end, ir_.api.mlirOperationGetResult(copy_, i));
    returned.push_back(own);
    types.push_back(ir_.api.mlirValueGetType(own));
  }
  if (results_.empty()) throw LoopRefused{"no results"};
  if (operands_.size() + results_.size() > kMostArrays) {
    throw LoopRefused{"many arrays"};
  }
  ir_.CreateBefore(end, "func.return", returned, {}, {});
  ir_.api.mlirOperationDestroy(end);
  SetFunctionType(ir_, function_, types);
}

void OutlinedLoop::Dispatch() {
  std::vector<MlirValue> operands;
  for (const MlirValue operand : operands_) {
    operands.push_back(BytesOfBits(ir_, loop_, operand));
  }
  std::vector<MlirType> types;
  for (const MlirValue result : results_) {
    types.push_back(InBytes(ir_, result));
  }
  const std::vector<MlirValue> made = executable_.Dispatch(
      loop_, operands, types,
      std::vector<int64_t>(types.size(), DispatchExecutable::kUntied));
  for (size_t i = 0; i < results_.size(); ++i) {
    ir_.api.mlirValueReplaceAllUsesOfWith(
        results_[i], BitsOfBytes(ir_, loop_, made[i],
                                 ir_.api.mlirValueGetType(results_[i])));
  }
  ir_.api.mlirOperationDestroy(loop_);
}

}  // namespace iree_pjrt
