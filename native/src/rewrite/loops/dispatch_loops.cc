// SPDX-License-Identifier: Apache-2.0
// IREE (3.11, 3.13) gives its queue each operation of a loop's body in each
// turn: 5 to 20 microseconds for what takes nanoseconds. A loop of small bodies
// becomes one dispatch here, on one core.
//
// IREE's own way from tensors to memory does not take such dispatches: it
// refuses what loops carry, or gives two values one memory. So they are put on
// memory here, by rules that are easy to see through (on_buffers.h), and where
// something is not known, the loop stays as it is.
#include <algorithm>
#include <string>

#include "base/status.h"
#include "rewrite/loops/buffers.h"
#include "rewrite/loops/limits.h"
#include "rewrite/loops/on_buffers.h"
#include "rewrite/loops/outlined_loop.h"
#include "rewrite/loops/passes.h"
#include "rewrite/loops/split_sums.h"
#include "rewrite/loops/unroll_sums.h"

namespace iree_pjrt {
namespace {

class LoopDispatcher {
 public:
  LoopDispatcher(const Ir& ir,
                 const std::function<bool(MlirOperation module)>& simplify)
      : ir_(ir), simplify_(simplify) {}

  // Loops of a refused one may be small themselves.
  void Try(MlirOperation op) {
    const std::string_view name = ir_.Name(op);
    const bool loop = name == "scf.for" || name == "scf.while";
    if (loop && Moves(op)) return;
    for (const MlirBlock block : ir_.Blocks(op)) {
      for (const MlirOperation inner : ir_.OperationsOf(block)) Try(inner);
    }
  }

 private:
  bool Moves(MlirOperation loop) {
    try {
      CheckLoop(ir_, loop);
      OutlinedLoop outlined(ir_, loop,
                            "loop_dispatch_" + std::to_string(count_));
      if (!simplify_(outlined.module())) return false;
      SplitSums(ir_, outlined.function());
      UnrollSums(ir_, outlined.function());
      PutOnBuffers(ir_, outlined.function());
      outlined.Dispatch();
      ++count_;
      return true;
    } catch (const LoopRefused&) {
      return false;
    } catch (const Error&) {
      return false;
    }
  }

  const Ir& ir_;
  const std::function<bool(MlirOperation module)>& simplify_;
  int count_ = 0;
};

}  // namespace

void DispatchLoops(const Ir& ir,
                   const std::function<bool(MlirOperation module)>& simplify) {
  LoopDispatcher dispatcher(ir, simplify);
  for (const MlirOperation op : ir.OperationsOf(ir.Body(ir.module))) {
    if (ir.Name(op) == "util.func") dispatcher.Try(op);
  }
}

}  // namespace iree_pjrt
