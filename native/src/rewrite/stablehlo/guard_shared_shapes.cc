// SPDX-License-Identifier: Apache-2.0
// Two functions that apply the same operation of one operand to one reshaped or
// transposed value, as in `x.reshape(-1).mean()` and `x.reshape(-1).std()`.
// IREE 3.11 moves an operation before the change of shape if it is the only
// use. It does so before it inlines, and again while it lowers StableHLO. After
// inlining the two operations become one, which IREE finds only during the
// lowering: the move then crashes, or ends in "unresolved materialization". The
// same happens where it removes a loop or a conditional.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// The bodies of the module's functions.
class Functions {
 public:
  explicit Functions(const Ir& ir) : ir_(ir) {
    for (MlirOperation op =
             ir.api.mlirBlockGetFirstOperation(ir.Body(ir.module));
         op.ptr; op = ir.api.mlirOperationGetNextInBlock(op)) {
      bodies_.emplace(ir.StringAttribute(op, "sym_name"), ir.Body(op));
    }
  }

  // The body of a called function; null if it has none.
  MlirBlock Called(MlirOperation call) const {
    const auto body = bodies_.find(ir_.StringAttribute(call, "callee"));
    return body == bodies_.end() ? MlirBlock{nullptr} : body->second;
  }

 private:
  const Ir& ir_;
  std::map<std::string, MlirBlock> bodies_;
};

// The operations that are applied to a value, in functions that it is handed
// to, too, and behind loops and conditionals: one that does nothing goes, and
// hands out what it was given.
class Uses {
 public:
  Uses(const Ir& ir, const Functions& functions, MlirValue value)
      : ir_(ir), functions_(functions) {
    Add(value);
  }

  // Whether one operation is applied twice, at least once where IREE does not
  // see it at first. (What it sees, it merges before it moves anything.)
  bool Repeat() const { return hidden_ && repeat_; }

 private:
  void Add(MlirValue value) {
    if (!visited_.insert(value.ptr).second) return;
    for (const auto& [user, operand] : ir_.Uses(value)) {
      const std::string_view name = StablehloName(ir_.Name(user));
      if (IsCall(ir_.Name(user))) {
        AddCallee(user, operand);
      } else if (name == "while") {
        AddLoop(user, operand);
      } else if (name == "return") {
        AddResult(user, operand);
      } else if (ir_.api.mlirOperationGetNumOperands(user) == 1 &&
                 ir_.api.mlirOperationGetNumResults(user) == 1) {
        repeat_ |= !applied_
                        .insert(std::string(ir_.Name(user)) + " " +
                                ir_.Print(ir_.ResultTypes(user)[0]))
                        .second;
      }
    }
  }

  // A function that is called twice applies everything twice.
  void AddCallee(MlirOperation call, unsigned argument) {
    hidden_ = true;
    const MlirBlock body = functions_.Called(call);
    if (!body.ptr) return;
    const MlirValue inside = ir_.api.mlirBlockGetArgument(body, argument);
    repeat_ |= visited_.contains(inside.ptr);
    Add(inside);
  }

  void AddLoop(MlirOperation loop, unsigned carried) {
    hidden_ = true;
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumRegions(loop); ++i) {
      const MlirBlock body = ir_.api.mlirRegionGetFirstBlock(
          ir_.api.mlirOperationGetRegion(loop, i));
      Add(ir_.api.mlirBlockGetArgument(body, carried));
    }
    Add(ir_.api.mlirOperationGetResult(loop, carried));
  }

  // What a branch of a conditional hands out.
  void AddResult(MlirOperation end, unsigned result) {
    const MlirOperation whole =
        ir_.api.mlirBlockGetParentOperation(ir_.api.mlirOperationGetBlock(end));
    const std::string_view name = StablehloName(ir_.Name(whole));
    if (name != "case" && name != "if") return;
    hidden_ = true;
    Add(ir_.api.mlirOperationGetResult(whole, result));
  }

  const Ir& ir_;
  const Functions& functions_;
  std::set<std::string> applied_;
  std::set<void*> visited_;
  bool hidden_ = false;
  bool repeat_ = false;
};

// Whether the result has its shape from a reshape or a transposition, maybe in
// the function that returns it.
bool IsReshaped(const Ir& ir, const Functions& functions, MlirOperation op,
                intptr_t result) {
  if (IsCall(ir.Name(op))) {
    const MlirBlock body = functions.Called(op);
    if (!body.ptr) return false;
    const MlirOperation made = ir.Definition(
        ir.api.mlirOperationGetOperand(ir.Terminator(body), result));
    return made.ptr && !IsCall(ir.Name(made)) &&
           IsReshaped(ir, functions, made, 0);
  }
  const std::string_view name = StablehloName(ir.Name(op));
  return name == "reshape" || name == "transpose";
}

// A key of a change of shape; empty for other operations.
std::vector<void*> ShapeKey(const Ir& ir, MlirOperation op) {
  const std::string_view name = StablehloName(ir.Name(op));
  std::vector<const char*> attributes;
  if (name == "transpose") {
    attributes = {"permutation"};
  } else if (name == "slice") {
    attributes = {"start_indices", "limit_indices", "strides"};
  } else if (name != "reshape" && name != "convert") {
    return {};
  }
  std::vector<void*> key = {ir.api.mlirOperationGetBlock(op).ptr,
                            ir.api.mlirOperationGetOperand(op, 0).ptr,
                            ir.ResultTypes(op)[0].ptr};
  for (const char* attribute : attributes) {
    key.push_back(ir.Attribute(op, attribute).ptr);
  }
  return key;
}

// Merges equal changes of shape, and equal operations that they are likely to
// be made of. IREE does so before anything else.
void MergeShapes(const Ir& ir) {
  std::map<std::vector<void*>, MlirValue> made;
  for (const MlirOperation op : ir.AllOperations()) {
    const std::vector<void*> key = ShapeKey(ir, op);
    if (key.empty()) continue;
    const auto [same, is_new] =
        made.try_emplace(key, ir.api.mlirOperationGetResult(op, 0));
    if (!is_new) ir.Replace(op, {same->second});
  }
}

}  // namespace

void GuardSharedShapes(const Ir& ir) {
  MergeShapes(ir);
  const Functions functions(ir);
  for (const MlirOperation op : ir.AllOperations()) {
    for (intptr_t i = 0; i < ir.api.mlirOperationGetNumResults(op); ++i) {
      const MlirValue result = ir.api.mlirOperationGetResult(op, i);
      if (IsReshaped(ir, functions, op, i) &&
          Uses(ir, functions, result).Repeat()) {
        ir.PutBehindBarrier(result);
      }
    }
  }
}

}  // namespace iree_pjrt
