// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/on_buffers.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "rewrite/loops/dispatch_function.h"
#include "rewrite/loops/linalg_ops.h"
#include "rewrite/loops/tensor_memory.h"
#include "rewrite/loops/tensor_ops.h"

namespace iree_pjrt {
namespace {

// Of a helper's stack (cpu/crew.cc), which IREE's limit is made for, too.
constexpr int64_t kMostBytes = 512 << 10;

class OnBuffers {
 public:
  OnBuffers(const Ir& ir, MlirOperation function)
      : ir_(ir),
        function_(function),
        memory_(ir, function),
        buffers_(memory_.buffers()),
        uses_(memory_.uses()) {}

  void Run() {
    DispatchFunction dispatch(ir_, function_, buffers_.start());
    const MlirBlock block = ir_.Body(function_);
    for (intptr_t i = 0; i < ir_.api.mlirBlockGetNumArguments(block); ++i) {
      const MlirValue argument = ir_.api.mlirBlockGetArgument(block, i);
      if (!ir_.IsArray(argument)) continue;
      const View view = buffers_.Allocate(TypeOf(argument), {nullptr});
      dispatch.Input(argument, view.root->memref);
      memory_.Bind(argument, view);
      outside_bytes_ += buffers_.BytesOf(*view.root);
    }
    PutFrom(buffers_.start());
    memory_.DestroyLeftOver();
    for (const auto& [body, first] : carrying_) EraseArguments(body, first);
    dispatch.Finish(results_);
    if (buffers_.bytes() - outside_bytes_ > kMostBytes) {
      throw LoopRefused{"arrays that do not fit on a stack"};
    }
  }

 private:
  void PutBlock(MlirBlock block) {
    PutFrom(ir_.api.mlirBlockGetFirstOperation(block));
  }

  // The operation and those that follow it in its block.
  void PutFrom(MlirOperation op) {
    for (MlirOperation next{nullptr}; op.ptr; op = next) {
      next = ir_.api.mlirOperationGetNextInBlock(op);
      Put(op);
    }
  }

  void Put(MlirOperation op) {
    const std::string_view name = ir_.Name(op);
    if (name == "scf.for") return PutFor(op);
    if (name == "scf.while") return PutWhile(op);
    if (name == "scf.if" || name == "scf.index_switch") return PutBranches(op);
    if (name == "scf.yield" || name == "scf.condition") return;  // with its op
    if (name == "func.return") return PutReturn(op);
    if (name == "arith.constant") return PutConstant(ir_, memory_, op);
    if (name == "iree_linalg_ext.scatter") return PutScatter(ir_, memory_, op);
    if (name.starts_with("tensor.")) return PutTensorOp(ir_, memory_, op);
    if (name.starts_with("linalg.")) {
      return PutLinalgOp(ir_, memory_, op,
                         bodies_.empty() ? nullptr : &bodies_.back());
    }
    if (HasTensors(op)) throw LoopRefused{std::string(name)};
  }

  bool HasTensors(MlirOperation op) const {
    const auto array = [this](MlirValue value) { return ir_.IsArray(value); };
    return std::ranges::any_of(ir_.Operands(op), array) ||
           std::ranges::any_of(ir_.Results(op), array) ||
           ir_.api.mlirOperationGetNumRegions(op) > 0;
  }

  MlirType TypeOf(MlirValue value) const {
    return ir_.api.mlirValueGetType(value);
  }

  // Memory for what a loop carries, with what it starts from.
  std::vector<View> Carried(MlirOperation loop, unsigned first,
                            MlirBlock body) {
    std::vector<View> carried;
    const auto count = static_cast<unsigned>(ir_.Operands(loop).size());
    for (unsigned i = first; i < count; ++i) {
      carried.push_back(memory_.Taken(loop, i, body));
    }
    return carried;
  }

  void PutFor(MlirOperation op) {
    const MlirBlock body = ir_.Body(op);
    std::vector<MlirValue> bounds = ir_.Operands(op);
    bounds.resize(3);
    const std::vector<View> carried = Carried(op, 3, body);
    for (size_t i = 0; i < carried.size(); ++i) {
      memory_.Bind(
          ir_.api.mlirBlockGetArgument(body, static_cast<intptr_t>(i) + 1),
          carried[i]);
    }
    memory_.Renewed(op, bounds);
    carrying_.emplace_back(body, 1);
    PutBody({body, carried});
    BindResults(op, carried);
  }

  void PutWhile(MlirOperation op) {
    const MlirBlock before = ir_.Body(op);
    const MlirBlock after =
        ir_.api.mlirRegionGetFirstBlock(ir_.api.mlirOperationGetRegion(op, 1));
    const std::vector<View> carried = Carried(op, 0, before);
    const MlirOperation condition = ir_.Terminator(before);
    const std::vector<MlirValue> passed = ir_.Operands(condition);
    for (size_t i = 0; i < carried.size(); ++i) {
      memory_.Bind(
          ir_.api.mlirBlockGetArgument(before, static_cast<intptr_t>(i)),
          carried[i]);
    }
    memory_.Renewed(op, {});
    carrying_.emplace_back(before, 0);
    carrying_.emplace_back(after, 0);
    // What is passed on in its place stays there.
    std::vector<View> arguments;
    for (size_t i = 1; i < passed.size(); ++i) {
      const size_t place = i - 1;
      const MlirValue argument =
          ir_.api.mlirBlockGetArgument(after, static_cast<intptr_t>(place));
      const bool stays =
          place < carried.size() &&
          passed[i].ptr ==
              ir_.api.mlirBlockGetArgument(before, static_cast<intptr_t>(place))
                  .ptr;
      const View view = stays ? buffers_.InAnotherRole(carried[place], after)
                              : buffers_.Allocate(TypeOf(argument), after);
      memory_.Bind(argument, view);
      arguments.push_back(view);
    }
    PutBlock(before);
    for (size_t i = 1; i < passed.size(); ++i) {
      MoveTo(passed[i], arguments[i - 1], condition);
    }
    ir_.CreateBefore(condition, "scf.condition",
                     {ir_.Operands(condition).at(0)}, {}, {});
    memory_.LeaveOver(condition);
    PutBody({after, carried});
    BindResults(op, arguments);
  }

  void PutBody(const LoopBody& body) {
    bodies_.push_back(body);
    PutBlock(body.block);
    bodies_.pop_back();
    const MlirOperation yield = ir_.Terminator(body.block);
    std::vector<MlirValue> yielded = ir_.Operands(yield);
    KeepSources(yielded, body.targets, yield);
    for (size_t i = 0; i < yielded.size(); ++i) {
      if (const auto kept = kept_.find(i); kept != kept_.end()) {
        buffers_.Copy(kept->second, body.targets[i], yield);
      } else {
        MoveTo(yielded[i], body.targets[i], yield);
      }
    }
    kept_.clear();
    EndWithoutValues(yield);
  }

  // Copies of what lies where another value will be written.
  void KeepSources(const std::vector<MlirValue>& yielded,
                   const std::vector<View>& targets, MlirOperation yield) {
    for (size_t i = 0; i < yielded.size(); ++i) {
      if (memory_.IsUndefined(yielded[i])) continue;
      const View& view = memory_.ViewOf(yielded[i]);
      if (view.IsWholeOf(targets[i])) continue;
      const bool overwritten =
          std::ranges::any_of(targets, [&](const View& target) {
            return target.root->memref.ptr == view.root->memref.ptr;
          });
      if (!overwritten) continue;
      const View copy = buffers_.Allocate(TypeOf(yielded[i]), {nullptr});
      buffers_.Copy(view, copy, yield);
      kept_.emplace(i, copy);
    }
  }

  void MoveTo(MlirValue tensor, const View& target, MlirOperation before) {
    if (memory_.IsUndefined(tensor)) return;
    const View& view = memory_.ViewOf(tensor);
    if (!view.IsWholeOf(target)) {
      buffers_.Copy(view, target, before);
    }
  }

  void BindResults(MlirOperation op, const std::vector<View>& carried) {
    const std::vector<MlirValue> results = ir_.Results(op);
    for (size_t i = 0; i < results.size(); ++i) {
      memory_.Bind(results[i],
                   buffers_.InAnotherRole(carried[i], uses_.BlockOf(op)));
    }
  }

  void PutBranches(MlirOperation op) {
    std::vector<View> targets;
    for (const MlirValue result : ir_.Results(op)) {
      const View view = buffers_.Allocate(TypeOf(result), uses_.BlockOf(op));
      memory_.Bind(result, view);
      targets.push_back(view);
    }
    const MlirOperation renewed = memory_.Renewed(op, ir_.Operands(op));
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumRegions(renewed); ++i) {
      const MlirBlock block = ir_.api.mlirRegionGetFirstBlock(
          ir_.api.mlirOperationGetRegion(renewed, i));
      if (!block.ptr) continue;
      PutBlock(block);
      const MlirOperation yield = ir_.Terminator(block);
      const std::vector<MlirValue> yielded = ir_.Operands(yield);
      for (size_t k = 0; k < yielded.size(); ++k) {
        MoveTo(yielded[k], targets.at(k), yield);
      }
      EndWithoutValues(yield);
    }
  }

  void EndWithoutValues(MlirOperation yield) {
    ir_.CreateBefore(yield, "scf.yield", {}, {}, {});
    memory_.LeaveOver(yield);
  }

  void EraseArguments(MlirBlock block, intptr_t first) {
    for (intptr_t i = ir_.api.mlirBlockGetNumArguments(block); i-- > first;) {
      ir_.api.mlirBlockEraseArgument(block, static_cast<unsigned>(i));
    }
  }

  // A result is in memory of its own, all of it.
  void PutReturn(MlirOperation op) {
    std::unordered_set<const void*> taken;
    for (const MlirValue value : ir_.Operands(op)) {
      View view = memory_.ViewOf(value);
      const bool own = view.IsWhole() && view.root->home.ptr &&
                       taken.insert(view.root->memref.ptr).second;
      if (!own || view.root->shape != view.shape) {
        view = buffers_.Allocate(TypeOf(value), {nullptr});
        buffers_.Copy(memory_.ViewOf(value), view, op);
      }
      results_.push_back(view.root->memref);
      outside_bytes_ += buffers_.BytesOf(*view.root);
    }
    ir_.CreateBefore(op, "func.return", {}, {}, {});
    memory_.LeaveOver(op);
  }

  const Ir& ir_;
  const MlirOperation function_;
  TensorMemory memory_;
  Buffers& buffers_;
  const FrozenUses& uses_;
  std::vector<LoopBody> bodies_;
  std::unordered_map<size_t, View> kept_;
  // Blocks and the first argument of each that is a tensor.
  std::vector<std::pair<MlirBlock, intptr_t>> carrying_;
  std::vector<MlirValue> results_;
  // Of arguments and results.
  int64_t outside_bytes_ = 0;
};

}  // namespace

void PutOnBuffers(const Ir& ir, MlirOperation function) {
  OnBuffers(ir, function).Run();
}

}  // namespace iree_pjrt
