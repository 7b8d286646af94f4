// SPDX-License-Identifier: Apache-2.0
#include "compile/pass_lists.h"

#include <algorithm>

#include "compile/assigned_device.h"
#include "release/compiler_passes.h"

namespace iree_pjrt {
namespace {

// Pieces of IREE's pipelines, for programs of one kind.
class Pieces {
 public:
  explicit Pieces(bool straight_line) : straight_line_(straight_line) {}

  // A pipeline that runs the passes over each function.
  std::string Each(const std::string& passes) const {
    const std::string functions = "util.func(" + passes + ")";
    if (straight_line_) return functions;
    return "func.func(" + passes + "),util.initializer(" + passes + ")," +
           functions;
  }

  // iree-stream-cleanup-pipeline, with or without CSE.
  std::string Cleanup(const std::string& cse) const {
    if (straight_line_) return Simplify(cse) + ",iree-util-ipo";
    return Each(Steps(cse) + ",iree-util-apply-patterns") +
           ",iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo";
  }

  // What of it the next step needs where a whole one follows later: in each,
  // two of its passes gather the patterns of all dialects, a tenth of the time
  // of a small program.
  std::string Simplify(const std::string& cse) const {
    return Each(Steps(cse));
  }

  std::string CombineInitializers() const {
    if (straight_line_) return "";
    return ",iree-util-combine-initializers," + Simplify("cse,");
  }

  // What iree-stream-cmd-transformation-pipeline has after allocation.
  std::string Commands() const {
    return "iree-stream-emplace-transients,"
           "iree-stream-materialize-transient-size-queries," +
           Each(
               "iree-stream-pack-constants,iree-stream-layout-slices,"
               "canonicalize") +
           ",iree-util-propagate-subranges," + Cleanup("cse,") +
           ",iree-stream-automatic-reference-counting,"
           "iree-stream-annotate-constant-transient-size,"
           "iree-stream-verify-lowering-to-cmd";
  }

  std::string ElideWaits() const {
    const std::string once = Simplify("cse,") + ",iree-stream-elide-timepoints";
    if (straight_line_) return once;
    return "iree-util-fixed-point-iterator{pipeline=builtin.module(" + once +
           ")}";
  }

 private:
  std::string Steps(const std::string& cse) const {
    const std::string steps =
        "canonicalize," + cse + "iree-util-optimize-int-arithmetic";
    return straight_line_ ? steps
                          : steps + ",iree-util-simplify-global-accesses";
  }

  const bool straight_line_;
};

bool HasControlFlow(const Ir& ir, MlirOperation function) {
  const std::vector<MlirBlock> blocks = ir.Blocks(function);
  if (blocks.size() > 1) return true;
  return std::ranges::any_of(blocks, [&](MlirBlock block) {
    return std::ranges::any_of(ir.OperationsOf(block), [&](MlirOperation op) {
      return ir.Name(op).starts_with("scf.");
    });
  });
}

}  // namespace

PassList PassesToDispatches() {
  return {
      "iree-abi-transformation-pipeline,"
      "iree-global-optimization-transformation-pipeline{"
      "const-expr-hoisting=false},"
      "iree-dispatch-creation-pipeline{const-expr-hoisting=false},"
      "iree-flow-transformation-pipeline"};
}

bool IsStraightLine(const Ir& ir) {
  for (const MlirOperation op : ir.OperationsOf(ir.Body(ir.module))) {
    const std::string_view name = ir.Name(op);
    if (IsDevice(ir, op)) continue;
    if (name.starts_with("util.global") || name == "util.initializer" ||
        name == "func.func") {
      return false;
    }
    if (name == "util.func" && HasControlFlow(ir, op)) return false;
  }
  return true;
}

std::vector<PassList> PassesUntilScheduling(bool straight_line) {
  const Pieces ir(straight_line);
  return {
      {"iree-util-verify-initialization-order,iree-stream-verify-input," +
       ir.Cleanup("cse,")},
      {"iree-stream-clone-to-consumers"},
      {"iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline," +
       ir.Simplify("cse,") + ir.CombineInitializers() + "," +
       ir.Cleanup("cse,")},
      {"iree-stream-specialize-encodings," +
       ir.Each("iree-stream-encode-host-tensors") +
       ",stream.executable(iree-stream-encode-device-tensors),"
       "iree-stream-materialize-encodings," +
       ir.Each("iree-stream-layout-slices") + "," + ir.Simplify("cse,") +
       ",iree-stream-verify-lowering-to-async-resources,"
       "iree-util-propagate-subranges,symbol-dce," +
       ir.Each("iree-stream-materialize-copy-on-write,canonicalize")},
      {"iree-stream-elide-async-copies," +
       ir.Each("canonicalize,iree-stream-emplace-allocations")},
      {"iree-stream-refine-usage," + ir.Each("canonicalize")},
      {"iree-stream-elide-async-copies," + ir.Cleanup("") +
       ",iree-stream-verify-async-access-ranges"}};
}

std::vector<PassList> PassesFromScheduling(bool straight_line) {
  const Pieces ir(straight_line);
  return {
      {std::string(kPassesBeforeScheduling) +
       ir.Each(
           "iree-stream-schedule-execution,iree-stream-schedule-concurrency") +
       ",iree-stream-propagate-timepoints,iree-stream-materialize-builtins," +
       ir.Simplify("") + ",iree-stream-verify-lowering-to-async"},
      {"iree-stream-schedule-allocation"},
      {ir.Commands() + "," + ir.Cleanup("cse,") + "," +
       ir.Each("iree-stream-reuse-allocations,convert-scf-to-cf")},
      {.pipeline = ir.ElideWaits(), .may_give_up = true},
      {"iree-stream-fuse-dispatch-bindings,"
       "iree-stream-annotate-dispatch-arguments,"
       "iree-stream-annotate-dispatch-assumptions,"
       "iree-stream-pack-dispatch-operands," +
       ir.Simplify("cse,") + ",iree-stream-fold-uniform-operands," +
       ir.Cleanup("cse,") + ",symbol-dce"}};
}

PassList PassesToVm() { return {"iree-vm-transformation-pipeline"}; }

PassList PassesInLoops() {
  return {
      "func.func(linalg-generalize-named-ops,canonicalize,cse,"
      "linalg-fuse-elementwise-ops,canonicalize,cse)"};
}

}  // namespace iree_pjrt
