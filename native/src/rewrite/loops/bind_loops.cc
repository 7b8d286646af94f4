// SPDX-License-Identifier: Apache-2.0
// Loops that are one dispatch (dispatch_loops.cc) work on memory; here IREE
// has bound that of their operands and results. What remains is to tell it that
// such a function needs no tiles, and LLVM that it may make vectors: nothing
// else does, of loops that IREE did not make.
#include <string>
#include <vector>

#include "mlir/attributes.h"
#include "release/compiler_passes.h"
#include "rewrite/dispatch/executable_target.h"
#include "rewrite/loops/buffers.h"
#include "rewrite/loops/dispatch_function.h"
#include "rewrite/loops/passes.h"

namespace iree_pjrt {
namespace {

// Whether the binding begins where its buffer does.
bool IsAtStart(const Ir& ir, MlirOperation binding) {
  const MlirOperation offset = ir.Definition(ir.Operands(binding).at(0));
  return offset.ptr && ir.Name(offset) == "arith.constant" &&
         ReadInteger(ir, ir.Attribute(offset, "value")) == 0;
}

// The type of memory that begins anywhere in a buffer. IREE 3.11 takes memory
// of other types for the beginning of the buffer.
MlirType Anywhere(const Ir& ir, MlirType memref) {
  Extents shape;
  for (intptr_t i = 0; i < ir.api.mlirShapedTypeGetRank(memref); ++i) {
    shape.push_back(ir.api.mlirShapedTypeGetDimSize(memref, i));
  }
  return StridedMemory(ir, shape,
                       ir.Print(ir.api.mlirShapedTypeGetElementType(memref)),
                       RowMajor(shape), "?");
}

// The binding, as memory of this type.
MlirValue AsMemory(const Ir& ir, MlirValue binding, MlirValue memref) {
  const MlirOperation op = ir.Definition(binding);
  const MlirOperation own = ir.CloneBefore(op, op);
  const MlirValue memory = ir.api.mlirOperationGetResult(own, 0);
  const MlirType type = ir.api.mlirValueGetType(memref);
  ir.api.mlirValueSetType(memory,
                          IsAtStart(ir, op) ? type : Anywhere(ir, type));
  return memory;
}

void BindInput(const Ir& ir, MlirOperation to_memory) {
  const MlirOperation load = ir.Definition(ir.Operands(to_memory).at(0));
  const MlirValue memref = ir.Operands(to_memory).at(1);
  const MlirValue memory = AsMemory(ir, ir.Operands(load).at(0), memref);
  ir.api.mlirOperationDestroy(to_memory);
  ir.Replace(ir.Definition(memref), {memory});
  // Operands that are one array come as one.
  if (ir.Uses(ir.Results(load).at(0)).empty()) {
    ir.api.mlirOperationDestroy(load);
  }
}

void BindResult(const Ir& ir, MlirOperation to_tensor) {
  const MlirValue memref = ir.Operands(to_tensor).at(0);
  const MlirOperation store = ir.Uses(ir.Results(to_tensor).at(0)).at(0).user;
  const MlirValue memory = AsMemory(ir, ir.Operands(store).at(1), memref);
  ir.api.mlirOperationDestroy(store);
  ir.api.mlirOperationDestroy(to_tensor);
  ir.Replace(ir.Definition(memref), {memory});
}

}  // namespace

void BindLoops(const Ir& ir) {
  std::vector<MlirOperation> ends = ir.AllOperations();
  std::erase_if(ends, [&ir](MlirOperation op) {
    return ir.Name(op) != kToMemory && ir.Name(op) != kToTensor;
  });
  if (ends.empty()) return;
  for (const MlirOperation op : ends) {
    const MlirOperation function = ir.Enclosing(op, "func.func");
    ir.SetAttribute(function, "translation_info", ir.Parse(kNoTranslation));
    ir.Name(op) == kToMemory ? BindInput(ir, op) : BindResult(ir, op);
  }
  SetTargetOption(ir, "loop_vectorization", "true");
}

}  // namespace iree_pjrt
