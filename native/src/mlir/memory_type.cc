// SPDX-License-Identifier: Apache-2.0
#include "mlir/memory_type.h"

#include <optional>
#include <string>
#include <string_view>

#include "mlir/array_type.h"

namespace iree_pjrt {
namespace {

constexpr std::string_view kTensor = ":tensor<";

// The tensor that a type of memory holds; nothing if it holds none, one in a
// layout of its own, or one whose shape is not known.
std::optional<ArrayType> TensorIn(const Ir& ir, const std::string& memory) {
  const size_t begin = memory.find(kTensor);
  if (begin == std::string::npos || memory.find(',') != std::string::npos) {
    return std::nullopt;
  }
  return ArrayTypeOf(
      ir, ir.ParseType(memory.substr(begin + 1, memory.size() - begin - 2)));
}

bool EndsWith(const Ir& ir, MlirOperation op, std::string_view name) {
  return op.ptr && ir.Name(op).ends_with(name);
}

}  // namespace

bool IsLoad(const Ir& ir, MlirOperation op) {
  return EndsWith(ir, op, ".dispatch.tensor.load");
}

bool IsStore(const Ir& ir, MlirOperation op) {
  return EndsWith(ir, op, ".dispatch.tensor.store");
}

std::vector<int64_t> ShapeInMemory(const Ir& ir, MlirValue memory) {
  const auto tensor = TensorIn(ir, ir.Print(ir.api.mlirValueGetType(memory)));
  return tensor ? tensor->shape : std::vector<int64_t>{};
}

void SetShapeInMemory(const Ir& ir, MlirValue memory,
                      const std::vector<int64_t>& shape) {
  const std::string text = ir.Print(ir.api.mlirValueGetType(memory));
  ir.api.mlirValueSetType(
      memory, ir.ParseType(text.substr(0, text.find(kTensor) + 1) +
                           TensorIn(ir, text)->Reshaped(shape) + ">"));
}

}  // namespace iree_pjrt
