// SPDX-License-Identifier: Apache-2.0
#include "rewrite/dispatch/vectorized_target.h"

#include <string>

namespace iree_pjrt {
namespace {

void Vectorize(const Ir& ir, MlirOperation variant) {
  std::string target = ir.Print(ir.Attribute(variant, "target"));
  constexpr std::string_view kOption = "loop_vectorization";
  const size_t options = target.find('{');
  if (options == std::string::npos ||
      target.find("\"llvm-cpu\"") == std::string::npos ||
      target.find(kOption) != std::string::npos) {
    return;
  }
  target.insert(options + 1, std::string(kOption) + " = true, ");
  ir.SetAttribute(variant, "target", ir.Parse(target));
}

}  // namespace

void VectorizeByLlvm(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) == "hal.executable.variant") Vectorize(ir, op);
  }
}

}  // namespace iree_pjrt
