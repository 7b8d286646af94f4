// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/dispatch_function.h"

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "rewrite/loops/buffers.h"

namespace iree_pjrt {
namespace {

MlirType BoundType(const Ir& ir, MlirType tensor, std::string_view access) {
  return ir.ParseType("!iree_tensor_ext.dispatch.tensor<" +
                      std::string(access) + ":" + ir.Print(tensor) + ">");
}

// `tensor<2xf32>` of `memref<2xf32>`.
MlirType TensorType(const Ir& ir, MlirType memref) {
  const std::string text = ir.Print(memref);
  return ir.ParseType("tensor" + text.substr(text.find('<')));
}

std::string TypeList(const Ir& ir, const std::vector<MlirType>& types) {
  std::string text;
  for (const MlirType type : types) {
    text += (text.empty() ? "" : ", ") + ir.Print(type);
  }
  return "(" + text + ")";
}

}  // namespace

void SetFunctionType(const Ir& ir, MlirOperation function,
                     const std::vector<MlirType>& results) {
  const MlirBlock body = ir.Body(function);
  std::vector<MlirType> arguments;
  for (intptr_t i = 0; i < ir.api.mlirBlockGetNumArguments(body); ++i) {
    arguments.push_back(
        ir.api.mlirValueGetType(ir.api.mlirBlockGetArgument(body, i)));
  }
  ir.SetAttribute(
      function, "function_type",
      ir.Parse(TypeList(ir, arguments) + " -> " + TypeList(ir, results)));
}

std::vector<MlirNamedAttribute> DispatchFunction::WholeTensor(
    MlirType tensor, std::string_view segments) const {
  const Extents shape = ArrayTypeOf(ir_, tensor)->shape;
  const size_t rank = shape.size();
  return {ir_.Named("operandSegmentSizes", ir_.Parse(segments)),
          ir_.Named("static_offsets", ir_.Parse(Array64(Extents(rank, 0)))),
          ir_.Named("static_sizes", ir_.Parse(Array64(shape))),
          ir_.Named("static_strides", ir_.Parse(Array64(Extents(rank, 1))))};
}

void DispatchFunction::Input(MlirValue argument, MlirValue memref) {
  const MlirType tensor = ir_.api.mlirValueGetType(argument);
  inputs_.push_back(argument);
  const MlirOperation load =
      ir_.CreateBefore(start_, kLoadTensor, {argument}, {tensor},
                       WholeTensor(tensor, "array<i32: 1, 0, 0, 0, 0>"));
  const MlirAttribute unit = ir_.Parse("unit");
  ir_.CreateBefore(start_, kToMemory, {ir_.Results(load)[0], memref}, {},
                   {ir_.Named("restrict", unit), ir_.Named("writable", unit)});
}

void DispatchFunction::InPlace(MlirValue argument, MlirValue memref) {
  Input(argument, memref);
  inputs_.pop_back();
  in_place_.emplace_back(argument, memref);
}

void DispatchFunction::Store(MlirValue memref, MlirValue argument,
                             MlirOperation end) const {
  const MlirType tensor = TensorType(ir_, ir_.api.mlirValueGetType(memref));
  const MlirOperation whole =
      ir_.CreateBefore(end, kToTensor, {memref}, {tensor},
                       {ir_.Named("restrict", ir_.Parse("unit"))});
  ir_.CreateBefore(end, kStoreTensor, {ir_.Results(whole)[0], argument}, {},
                   WholeTensor(tensor, "array<i32: 1, 1, 0, 0, 0, 0>"));
}

void DispatchFunction::Finish(const std::vector<MlirValue>& memrefs) {
  const auto bind = [this](MlirValue argument, std::string_view access) {
    const MlirType tensor = ir_.api.mlirValueGetType(argument);
    ir_.api.mlirValueSetType(argument, BoundType(ir_, tensor, access));
  };
  const MlirBlock body = ir_.Body(function_);
  const MlirOperation end = ir_.Terminator(body);
  for (const MlirValue input : inputs_) bind(input, "readonly");
  for (const auto& [argument, memref] : in_place_) {
    bind(argument, "readwrite");
    Store(memref, argument, end);
  }
  for (const MlirValue memref : memrefs) {
    const MlirType tensor = TensorType(ir_, ir_.api.mlirValueGetType(memref));
    const MlirValue argument =
        ir_.api.mlirBlockAddArgument(body, BoundType(ir_, tensor, "writeonly"),
                                     ir_.api.mlirOperationGetLocation(end));
    Store(memref, argument, end);
  }
  SetFunctionType(ir_, function_, {});
}

}  // namespace iree_pjrt
