// SPDX-License-Identifier: Apache-2.0
// Submissions of few dispatches. IREE (3.13) records each once, in a function
// of its own. That takes some 17 ms to compile, a fifth of a small program, and
// saves a third of a microsecond for each dispatch of a launch. The pass has
// those of few dispatches, but in loops and conditionals, recorded at each
// launch.
#include "rewrite/sources/passes.h"

namespace iree_pjrt {
namespace {

constexpr int kFew = 16;

// Whether it is run once in each launch.
bool IsInStraightLine(const Ir& ir, MlirOperation execute) {
  const MlirOperation function =
      ir.api.mlirOperationGetParentOperation(execute);
  return ir.Name(function) == "util.func" && ir.Blocks(function).size() == 1;
}

bool IsOfFew(const Ir& ir, MlirOperation execute) {
  int count = 0;
  for (const MlirOperation op :
       Ir{ir.api, ir.context, execute}.AllOperations()) {
    if (ir.Name(op) == "stream.cmd.dispatch") ++count;
  }
  return count < kFew;
}

}  // namespace

void SubmitBriefly(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) == "stream.cmd.execute" && IsInStraightLine(ir, op) &&
        IsOfFew(ir, op)) {
      ir.SetAttribute(op, "once", ir.Parse("unit"));
    }
  }
}

}  // namespace iree_pjrt
