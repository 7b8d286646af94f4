// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/outlined_loop.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/status.h"
#include "base/text.h"
#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "rewrite/loops/buffers.h"
#include "rewrite/loops/dispatch_function.h"
#include "rewrite/loops/elementwise.h"

namespace iree_pjrt {
namespace {

// Below what IREE's runtime takes.
constexpr size_t kMostArrays = 24;

constexpr std::string_view kExecutable = R"(
module {
  flow.executable private @NAME {
    flow.executable.export public @NAME workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      flow.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @NAME() {
        func.return
      }
    }
  }
})";

std::string ExecutableNamed(const std::string& name) {
  std::string text(kExecutable);
  ReplaceAll(text, "NAME", name);
  return text;
}

bool IsOfBits(const Ir& ir, MlirValue value) {
  return ir.IsArray(value) && ArrayTypeOf(ir, value) &&
         ArrayTypeOf(ir, value)->Element() == "i1";
}

// Of bits, the type that they have between dispatches: a byte each.
MlirType InBytes(const Ir& ir, MlirValue value) {
  ArrayType type = *ArrayTypeOf(ir, value);
  type.after = "i8>";
  return ir.ParseType(type.Reshaped(type.shape));
}

// The array with each element converted.
MlirValue Converted(const Ir& ir, MlirOperation before, MlirValue array,
                    std::string_view operation, MlirType type) {
  const MlirOperation empty =
      ir.CreateBefore(before, "tensor.empty", {}, {type}, {});
  return ir.Results(
      MakeElementwise(ir, before, operation, array, ir.Results(empty)[0]))[0];
}

}  // namespace

Parsed::Parsed(const Ir& ir, const std::string& text)
    : ir_(ir),
      op_(ir.api.mlirOperationCreateParse(
          ir.context, {text.data(), text.size()}, {"loop", 4})) {
  if (!op_.ptr) ThrowInternal("cannot parse " + text);
}

OutlinedLoop::OutlinedLoop(const Ir& ir, MlirOperation loop,
                           const std::string& name)
    : ir_(ir), loop_(loop), name_(name), parsed_(ir, ExecutableNamed(name)) {
  function_ = ir.api.mlirBlockGetFirstOperation(ir.Body(module()));
  Copy();
  RemoveBarriers();
  Return();
}

MlirOperation OutlinedLoop::module() const {
  const MlirOperation executable =
      ir_.api.mlirBlockGetFirstOperation(ir_.Body(parsed_.op()));
  const MlirOperation its_export =
      ir_.api.mlirBlockGetFirstOperation(ir_.Body(executable));
  return ir_.api.mlirOperationGetNextInBlock(its_export);
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
  const bool bits = IsOfBits(ir_, value);
  const MlirValue argument = ir_.api.mlirBlockAddArgument(
      ir_.Body(function_), bits ? InBytes(ir_, value) : type,
      ir_.api.mlirOperationGetLocation(loop_));
  return bits ? Converted(ir_, copy_, argument, "arith.trunci", type)
              : argument;
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
    MlirValue own = ir_.api.mlirOperationGetResult(copy_, i);
    if (IsOfBits(ir_, own)) {
      own = Converted(ir_, end, own, "arith.extui", InBytes(ir_, own));
    }
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
  const MlirOperation executable =
      ir_.api.mlirBlockGetFirstOperation(ir_.Body(parsed_.op()));
  ir_.api.mlirOperationRemoveFromParent(executable);
  const MlirBlock program = ir_.Body(ir_.module);
  ir_.api.mlirBlockInsertOwnedOperationBefore(
      program, ir_.api.mlirBlockGetFirstOperation(program), executable);

  std::vector<MlirValue> operands;
  for (const MlirValue operand : operands_) {
    operands.push_back(IsOfBits(ir_, operand)
                           ? Converted(ir_, loop_, operand, "arith.extui",
                                       InBytes(ir_, operand))
                           : operand);
  }
  std::vector<MlirType> types;
  std::string untied;
  for (const MlirValue result : results_) {
    types.push_back(IsOfBits(ir_, result) ? InBytes(ir_, result)
                                          : ir_.api.mlirValueGetType(result));
    untied += untied.empty() ? "-1 : index" : ", -1 : index";
  }
  const MlirOperation dispatch = ir_.CreateBefore(
      loop_, "flow.dispatch", operands, types,
      {ir_.Named("entry_points", ir_.Parse("[@" + name_ + "::@" + name_ + "]")),
       ir_.Named("operandSegmentSizes",
                 ir_.Parse("array<i32: 0, " + std::to_string(operands.size()) +
                           ", 0, 0>")),
       ir_.Named("tied_operands", ir_.Parse("[" + untied + "]"))});
  for (size_t i = 0; i < results_.size(); ++i) {
    MlirValue value = ir_.Results(dispatch)[i];
    if (IsOfBits(ir_, results_[i])) {
      value = Converted(ir_, loop_, value, "arith.trunci",
                        ir_.api.mlirValueGetType(results_[i]));
    }
    ir_.api.mlirValueReplaceAllUsesOfWith(results_[i], value);
  }
  ir_.api.mlirOperationDestroy(loop_);
}

}  // namespace iree_pjrt
