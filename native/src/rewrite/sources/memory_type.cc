// SPDX-License-Identifier: Apache-2.0
#include "rewrite/sources/memory_type.h"

#include <string_view>

namespace iree_pjrt {
namespace {

constexpr std::string_view kTensor = ":tensor<";

// The tensor that a type of memory holds; null if it holds none, or one in a
// layout of its own.
MlirType TensorIn(const Ir& ir, const std::string& memory) {
  const size_t begin = memory.find(kTensor);
  if (begin == std::string::npos || memory.find(',') != std::string::npos) {
    return {nullptr};
  }
  return ir.ParseType(memory.substr(begin + 1, memory.size() - begin - 2));
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
  const MlirType tensor =
      TensorIn(ir, ir.Print(ir.api.mlirValueGetType(memory)));
  if (!tensor.ptr) return {};
  std::vector<int64_t> shape;
  for (intptr_t i = 0; i < ir.api.mlirShapedTypeGetRank(tensor); ++i) {
    shape.push_back(ir.api.mlirShapedTypeGetDimSize(tensor, i));
  }
  return shape;
}

void SetShapeInMemory(const Ir& ir, MlirValue memory,
                      const std::vector<int64_t>& shape) {
  const std::string text = ir.Print(ir.api.mlirValueGetType(memory));
  const std::string element =
      ir.Print(ir.api.mlirShapedTypeGetElementType(TensorIn(ir, text)));
  ir.api.mlirValueSetType(
      memory,
      ir.ParseType(text.substr(0, text.find(kTensor)) + std::string(kTensor) +
                   Dimensions(shape) + element + ">>"));
}

std::string Dimensions(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t size : shape) text += std::to_string(size) + "x";
  return text;
}

}  // namespace iree_pjrt
