// SPDX-License-Identifier: Apache-2.0
// Reductions over lengths that do not fill vectors. IREE (3.11, 3.13) masks
// every vector of such a loop, and then adds the elements of each vector up
// instead of whole vectors: the sum of 1000 rows of 1000 takes 6 times as long
// as that of 1024 of 1024. Peeled, only the last turn is apart.
#include <set>
#include <string>

#include "mlir/generics.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

constexpr char kInfo[] = "translation_info";

MlirOperation FunctionOf(const Ir& ir, MlirOperation op) {
  while (op.ptr && ir.Name(op) != "func.func") {
    op = ir.api.mlirOperationGetParentOperation(op);
  }
  return op;
}

// `translation_info<pipeline = ..DoubleTilingExpert..>`, which has no options
// yet: IREE peels in this pipeline where the options say so.
void Peel(const Ir& ir, MlirOperation function) {
  const MlirAttribute info = ir.Attribute(function, kInfo);
  if (!info.ptr) return;
  std::string text = ir.Print(info);
  if (text.find("DoubleTilingExpert") == std::string::npos ||
      text.find('{') != std::string::npos) {
    return;
  }
  text.insert(text.rfind('>'), ", {enable_loop_peeling}");
  ir.SetAttribute(function, kInfo, ir.Parse(text));
}

}  // namespace

void PeelReductions(const Ir& ir) {
  std::set<void*> seen;
  for (const MlirOperation op : ir.AllOperations()) {
    if (!ir.Name(op).starts_with("linalg.") || !IsReduction(ir, op)) continue;
    const MlirOperation function = FunctionOf(ir, op);
    if (function.ptr && seen.insert(function.ptr).second) Peel(ir, function);
  }
}

}  // namespace iree_pjrt
