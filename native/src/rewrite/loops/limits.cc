// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "rewrite/loops/buffers.h"

namespace iree_pjrt {
namespace {

// Of one operation.
constexpr double kMostElements = 32768;
constexpr double kMostMultiplyAdds = 262144;
// Of a loop: LLVM takes longer than in proportion.
constexpr size_t kMostOperations = 3000;

constexpr std::array<std::string_view, 17> kKnown{"iree_linalg_ext.scatter",
                                                  "iree_linalg_ext.yield",
                                                  "scf.condition",
                                                  "scf.for",
                                                  "scf.if",
                                                  "scf.index_switch",
                                                  "scf.while",
                                                  "scf.yield",
                                                  "tensor.collapse_shape",
                                                  "tensor.empty",
                                                  "tensor.expand_shape",
                                                  "tensor.extract",
                                                  "tensor.extract_slice",
                                                  "tensor.from_elements",
                                                  "tensor.insert",
                                                  "tensor.insert_slice",
                                                  "util.optimization_barrier"};

bool IsKnown(std::string_view name) {
  return name.starts_with("arith.") || name.starts_with("math.") ||
         name.starts_with("complex.") ||
         (name.starts_with("linalg.") && !name.starts_with("linalg.conv") &&
          !name.starts_with("linalg.pool")) ||
         std::ranges::find(kKnown, name) != kKnown.end();
}

double Elements(const Ir& ir, MlirValue value) {
  if (!ir.IsArray(value)) return 1;
  const auto type = ArrayTypeOf(ir, value);
  if (!type) throw LoopRefused{"an array of any size"};
  return static_cast<double>(ElementCount(type->shape));
}

void CheckWork(const Ir& ir, MlirOperation op) {
  double largest = 0;
  double product = 1;
  for (const MlirValue operand : ir.Operands(op)) {
    largest = std::max(largest, Elements(ir, operand));
    product *= Elements(ir, operand);
  }
  const bool multiplies = ir.Name(op).find("mat") != std::string_view::npos ||
                          ir.Name(op) == "linalg.dot" || IsContraction(ir, op);
  // m·n·k, of arrays of mk, kn and mn elements.
  if (multiplies ? std::sqrt(product) > kMostMultiplyAdds
                 : largest > kMostElements) {
    throw LoopRefused{"a large " + std::string(ir.Name(op))};
  }
}

}  // namespace

void CheckLoop(const Ir& ir, MlirOperation loop) {
  const std::vector<MlirOperation> all =
      Ir{ir.api, ir.context, loop}.AllOperations();
  if (all.size() > kMostOperations) throw LoopRefused{"many operations"};
  for (const MlirOperation op : all) {
    const std::string_view name = ir.Name(op);
    if (!IsKnown(name)) throw LoopRefused{std::string(name)};
    if (name.starts_with("linalg.") && ir.api.mlirOperationGetNumResults(op)) {
      CheckWork(ir, op);
    }
  }
}

}  // namespace iree_pjrt
