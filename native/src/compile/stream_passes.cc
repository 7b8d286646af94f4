// SPDX-License-Identifier: Apache-2.0
#include "compile/stream_passes.h"

#include "release/compiler_passes.h"

namespace iree_pjrt {
namespace {

// A pipeline that runs the passes over each function.
std::string Each(const std::string& passes) {
  return "func.func(" + passes + "),util.initializer(" + passes +
         "),util.func(" + passes + ")";
}

// iree-stream-cleanup-pipeline, with or without CSE.
std::string Cleanup(const std::string& cse) {
  return Each("canonicalize," + cse +
              "iree-util-optimize-int-arithmetic,"
              "iree-util-simplify-global-accesses,iree-util-apply-patterns") +
         ",iree-util-fold-globals,iree-util-fuse-globals,iree-util-ipo";
}

// What of it the next step needs where a whole one follows later: in each, two
// of its passes gather the patterns of all dialects, a tenth of the time of a
// small program.
std::string Simplify(const std::string& cse) {
  return Each("canonicalize," + cse +
              "iree-util-optimize-int-arithmetic,"
              "iree-util-simplify-global-accesses");
}

}  // namespace

const std::vector<StreamPasses>& PassesUntilScheduling() {
  static const auto& passes = *new std::vector<StreamPasses>{
      {"iree-util-verify-initialization-order,iree-stream-verify-input," +
       Cleanup("cse,")},
      {"iree-stream-clone-to-consumers"},
      {"iree-stream-conversion,iree-stream-verify-lowering-to-tensors,inline," +
       Simplify("cse,") + ",iree-util-combine-initializers," +
       Simplify("cse,") + "," + Cleanup("cse,")},
      {"iree-stream-specialize-encodings," +
       Each("iree-stream-encode-host-tensors") +
       ",stream.executable(iree-stream-encode-device-tensors),"
       "iree-stream-materialize-encodings," +
       Each("iree-stream-layout-slices") + "," + Simplify("cse,") +
       ",iree-stream-verify-lowering-to-async-resources,"
       "iree-util-propagate-subranges,symbol-dce," +
       Each("iree-stream-materialize-copy-on-write,canonicalize")},
      {"iree-stream-elide-async-copies," +
       Each("canonicalize,iree-stream-emplace-allocations")},
      {"iree-stream-refine-usage," + Each("canonicalize")},
      {"iree-stream-elide-async-copies," + Cleanup("") +
       ",iree-stream-verify-async-access-ranges"}};
  return passes;
}

const StreamPasses& PassesInLoops() {
  static const auto& passes = *new StreamPasses{
      "func.func(linalg-generalize-named-ops,canonicalize,cse,"
      "linalg-fuse-elementwise-ops,canonicalize,cse)"};
  return passes;
}

const std::vector<StreamPasses>& PassesFromScheduling() {
  static const auto& passes = *new std::vector<StreamPasses>{
      {std::string(kPassesBeforeScheduling) +
       Each("iree-stream-schedule-execution,iree-stream-schedule-concurrency") +
       ",iree-stream-propagate-timepoints,iree-stream-materialize-"
       "builtins," +
       Simplify("") + ",iree-stream-verify-lowering-to-async"},
      {"iree-stream-cmd-transformation-pipeline," + Cleanup("cse,") + "," +
       Each("iree-stream-reuse-allocations,convert-scf-to-cf")},
      {.pipeline = "iree-util-fixed-point-iterator{pipeline=builtin.module(" +
                   Simplify("cse,") + ",iree-stream-elide-timepoints)}",
       .may_give_up = true},
      {"iree-stream-fuse-dispatch-bindings,"
       "iree-stream-annotate-dispatch-arguments,"
       "iree-stream-annotate-dispatch-assumptions,"
       "iree-stream-pack-dispatch-operands," +
       Simplify("cse,") + ",iree-stream-fold-uniform-operands," +
       Cleanup("cse,") + ",symbol-dce"}};
  return passes;
}

}  // namespace iree_pjrt
