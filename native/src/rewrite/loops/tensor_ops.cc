// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/tensor_ops.h"

#include <string>

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "rewrite/loops/scatter_loops.h"
#include "rewrite/loops/views.h"

namespace iree_pjrt {
namespace {

// The operation has one result.
class TensorOp {
 public:
  TensorOp(const Ir& ir, TensorMemory& memory, MlirOperation op)
      : ir_(ir),
        memory_(memory),
        buffers_(memory.buffers()),
        op_(op),
        operands_(ir.Operands(op)),
        result_(ir.Results(op).at(0)),
        type_(ir.api.mlirValueGetType(result_)),
        home_(memory.uses().BlockOf(op)) {}

  void Put() {
    const std::string_view name = ir_.Name(op_);
    if (name == "tensor.empty") {
      memory_.SetUndefined(result_);
    } else if (name == "tensor.extract") {
      Extract();
    } else if (name == "tensor.extract_slice") {
      const View array = memory_.ViewOf(operands_[0]);
      memory_.Bind(result_,
                   PartOf(ir_, buffers_, array, op_, ShapeOf(result_)));
    } else if (name == "tensor.insert_slice") {
      InsertSlice();
    } else if (name == "tensor.insert") {
      Insert();
    } else if (name == "tensor.from_elements") {
      FromElements();
    } else if (ir_.IsReshape(op_)) {
      Reshape();
    } else {
      throw LoopRefused{std::string(name)};
    }
    memory_.LeaveOver(op_);
  }

  void Constant() {
    if (!ir_.IsArray(result_)) return;
    const MlirAttribute value = ir_.Attribute(op_, "value");
    if (!IsSplat(ir_, value)) {
      throw LoopRefused{"a constant of several numbers"};
    }
    const MlirOperation start = buffers_.start();
    const MlirType element = ir_.api.mlirShapedTypeGetElementType(type_);
    const bool complex = ir_.Print(element).starts_with("complex");
    const MlirOperation scalar = ir_.CreateBefore(
        start, complex ? "complex.constant" : "arith.constant", {}, {element},
        {ir_.Named("value",
                   ir_.api.mlirDenseElementsAttrGetSplatValue(value))});
    memory_.SetSplat(result_, buffers_.Stored(ir_.Results(scalar)[0], start));
    memory_.LeaveOver(op_);
  }

  void Scatter() {
    if (operands_.size() != 3) throw LoopRefused{"a scatter with a mask"};
    const View target = memory_.Taken(op_, 2, home_);
    MakeScatterLoops(ir_, buffers_, op_, memory_.ViewOf(operands_[0]),
                     memory_.ViewOf(operands_[1]), target);
    memory_.Bind(result_, target);
    memory_.LeaveOver(op_);
  }

 private:
  Extents ShapeOf(MlirValue tensor) const {
    return ArrayTypeOf(ir_, tensor)->shape;
  }

  std::vector<MlirValue> OperandsFrom(size_t first) const {
    return {operands_.begin() + static_cast<long>(first), operands_.end()};
  }

  void Extract() {
    const MlirValue array = buffers_.Memref(memory_.ViewOf(operands_[0]), op_);
    ir_.api.mlirValueReplaceAllUsesOfWith(
        result_, buffers_.Load(array, OperandsFrom(1), type_, op_));
  }

  void Insert() {
    const View target = memory_.Taken(op_, 1, home_);
    buffers_.Store(operands_[0], buffers_.Memref(target, op_), OperandsFrom(2),
                   op_);
    memory_.Bind(result_, target);
  }

  void InsertSlice() {
    const MlirValue source = operands_[0];
    const View target = memory_.Taken(op_, 1, home_);
    if (!memory_.IsUndefined(source)) {
      buffers_.Copy(memory_.ViewOf(source),
                    PartOf(ir_, buffers_, target, op_, ShapeOf(source)), op_);
    }
    memory_.Bind(result_, target);
  }

  void FromElements() {
    const View view = buffers_.Allocate(type_, home_);
    View row = view;
    row.shape = {ElementCount(view.shape)};
    row.strides = {1};
    const MlirValue memref = buffers_.Memref(row, op_);
    int64_t number = 0;
    for (const MlirValue element : operands_) {
      buffers_.Store(element, memref, {buffers_.Index(number++, op_)}, op_);
    }
    memory_.Bind(result_, view);
  }

  void Reshape() {
    const MlirValue array = operands_[0];
    if (memory_.IsUndefined(array)) return memory_.SetUndefined(result_);
    auto view = Reshaped(ir_, memory_.ViewOf(array), op_);
    if (!view) {
      const View whole =
          buffers_.Allocate(ir_.api.mlirValueGetType(array), home_);
      buffers_.Copy(memory_.ViewOf(array), whole, op_);
      view = Reshaped(ir_, whole, op_);
    }
    memory_.Bind(result_, *view);
  }

  const Ir& ir_;
  TensorMemory& memory_;
  Buffers& buffers_;
  const MlirOperation op_;
  const std::vector<MlirValue> operands_;
  const MlirValue result_;
  const MlirType type_;
  const MlirBlock home_;
};

}  // namespace

void PutTensorOp(const Ir& ir, TensorMemory& memory, MlirOperation op) {
  TensorOp(ir, memory, op).Put();
}

void PutConstant(const Ir& ir, TensorMemory& memory, MlirOperation op) {
  TensorOp(ir, memory, op).Constant();
}

void PutScatter(const Ir& ir, TensorMemory& memory, MlirOperation op) {
  TensorOp(ir, memory, op).Scatter();
}

}  // namespace iree_pjrt
