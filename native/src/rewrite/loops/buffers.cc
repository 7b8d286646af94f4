// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/buffers.h"

#include <array>
#include <utility>

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "mlir/generics.h"
#include "mlir/slices.h"

namespace iree_pjrt {
namespace {

constexpr std::array<std::pair<std::string_view, int64_t>, 15> kElements{
    {{"complex<f64>", 16},
     {"complex<f32>", 8},
     {"f64", 8},
     {"i64", 8},
     {"f32", 4},
     {"i32", 4},
     {"bf16", 2},
     {"f16", 2},
     {"i16", 2},
     {"i8", 1},
     {"f8E4M3FN", 1},
     {"f8E4M3FNUZ", 1},
     {"f8E5M2", 1},
     {"f8E5M2FNUZ", 1},
     {"f8E8M0FNU", 1}}};

int64_t BytesOfElement(const std::string& element) {
  for (const auto& [name, bytes] : kElements) {
    if (name == element) return bytes;
  }
  throw LoopRefused{"elements of type " + element};
}

std::string List(const Extents& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return text;
}

std::string MemrefText(const Extents& shape, const std::string& element,
                       const std::string& layout) {
  std::string text = "memref<";
  for (const int64_t size : shape) text += std::to_string(size) + "x";
  return text + element + layout + ">";
}

}  // namespace

Extents RowMajor(const Extents& shape) {
  Extents strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  return strides;
}

MlirType StridedMemory(const Ir& ir, const Extents& shape,
                       const std::string& element, const Extents& strides,
                       const std::string& offset) {
  return ir.ParseType(
      MemrefText(shape, element,
                 ", strided<[" + List(strides) + "], offset: " + offset + ">"));
}

bool View::IsWhole() const {
  return offset == 0 && !added_offset.ptr && strides == RowMajor(shape) &&
         ElementCount(shape) == ElementCount(root->shape);
}

Buffers::Buffers(const Ir& ir, MlirOperation function)
    : ir_(ir), start_(ir.api.mlirBlockGetFirstOperation(ir.Body(function))) {}

View Buffers::Add(MlirValue memref, MlirType tensor, MlirBlock home) {
  const auto array = ArrayTypeOf(ir_, tensor);
  if (!array || HasNoElements(array->shape)) {
    throw LoopRefused{"an array of type " + ir_.Print(tensor)};
  }
  const std::string element =
      array->Element() == "i1" ? "i8" : array->Element();
  BytesOfElement(element);
  roots_.push_back({memref, element, array->shape, home, {}});
  return {&roots_.back(), array->shape, RowMajor(array->shape)};
}

View Buffers::Allocate(MlirType tensor, MlirBlock home) {
  View view = Add({nullptr}, tensor, home);
  bytes_ += BytesOf(*view.root);
  const MlirType type =
      ir_.ParseType(MemrefText(view.shape, view.root->element, ""));
  const MlirOperation alloca = ir_.CreateBefore(
      start_, "memref.alloca", {}, {type},
      {ir_.Named("operandSegmentSizes", ir_.Parse("array<i32: 0, 0>")),
       ir_.Named("alignment", ir_.Parse("64 : i64"))});
  view.root->memref = ir_.api.mlirOperationGetResult(alloca, 0);
  return view;
}

int64_t Buffers::BytesOf(const Root& root) const {
  return ElementCount(root.shape) * BytesOfElement(root.element);
}

View Buffers::InAnotherRole(const View& view, MlirBlock home) {
  Root role = *view.root;
  role.home = home;
  role.names.clear();
  roots_.push_back(std::move(role));
  View other = view;
  other.root = &roots_.back();
  return other;
}

MlirType Buffers::TypeOf(const View& view) const {
  if (view.IsWhole() && view.shape == view.root->shape) {
    return ir_.api.mlirValueGetType(view.root->memref);
  }
  const std::string offset =
      view.added_offset.ptr ? "?" : std::to_string(view.offset);
  return StridedMemory(ir_, view.shape, view.root->element, view.strides,
                       offset);
}

MlirValue Buffers::Memref(const View& view, MlirOperation before) const {
  if (view.IsWhole() && view.shape == view.root->shape) {
    return view.root->memref;
  }
  std::vector<MlirValue> operands{view.root->memref};
  int64_t offset = view.offset;
  if (view.added_offset.ptr) {
    const ScalarBuilder index = Indices(before);
    operands.push_back(index.Apply(
        "arith.addi", {view.added_offset, index.Constant(view.offset)}));
    offset = kDynamic;
  }
  const MlirOperation cast = ir_.CreateBefore(
      before, "memref.reinterpret_cast", operands, {TypeOf(view)},
      {ir_.Named("operandSegmentSizes",
                 ir_.Parse("array<i32: 1, " +
                           std::to_string(operands.size() - 1) + ", 0, 0>")),
       ir_.Named("static_offsets", ir_.Parse(Array64({offset}))),
       ir_.Named("static_sizes", ir_.Parse(Array64(view.shape))),
       ir_.Named("static_strides", ir_.Parse(Array64(view.strides)))});
  return ir_.api.mlirOperationGetResult(cast, 0);
}

void Buffers::Copy(const View& from, const View& to,
                   MlirOperation before) const {
  Fill(to, Memref(from, before), before);
}

void Buffers::Fill(const View& view, MlirValue input,
                   MlirOperation before) const {
  MakeElementwise(ir_, before, "", input, Memref(view, before));
}

MlirValue Buffers::Element(MlirValue stored, MlirType type,
                           MlirOperation before) const {
  if (ir_.api.mlirTypeEqual(ir_.api.mlirValueGetType(stored), type)) {
    return stored;
  }
  return ir_.Results(
      ir_.CreateBefore(before, "arith.trunci", {stored}, {type}, {}))[0];
}

MlirValue Buffers::Stored(MlirValue element, MlirOperation before) const {
  if (ir_.Print(ir_.api.mlirValueGetType(element)) != "i1") return element;
  return ir_.Results(ir_.CreateBefore(before, "arith.extui", {element},
                                      {ir_.ParseType("i8")}, {}))[0];
}

MlirValue Buffers::Load(MlirValue memref, const std::vector<MlirValue>& at,
                        MlirType type, MlirOperation before) const {
  std::vector<MlirValue> operands{memref};
  operands.insert(operands.end(), at.begin(), at.end());
  const MlirOperation load = ir_.CreateBefore(
      before, "memref.load", operands,
      {ir_.api.mlirShapedTypeGetElementType(ir_.api.mlirValueGetType(memref))},
      {});
  return Element(ir_.Results(load)[0], type, before);
}

void Buffers::Store(MlirValue element, MlirValue memref,
                    const std::vector<MlirValue>& at,
                    MlirOperation before) const {
  std::vector<MlirValue> operands{Stored(element, before), memref};
  operands.insert(operands.end(), at.begin(), at.end());
  ir_.CreateBefore(before, "memref.store", operands, {}, {});
}

ScalarBuilder Buffers::Indices(MlirOperation before) const {
  return ScalarBuilder(ir_, before, ir_.ParseType("index"));
}

MlirValue Buffers::Index(int64_t number, MlirOperation before) const {
  return Indices(before).Constant(number);
}

void Buffers::Advance(View& view, MlirValue steps, int64_t size,
                      MlirOperation before) const {
  const ScalarBuilder index = Indices(before);
  if (size != 1) {
    steps = index.Apply("arith.muli", {steps, index.Constant(size)});
  }
  view.added_offset =
      view.added_offset.ptr
          ? index.Apply("arith.addi", {view.added_offset, steps})
          : steps;
}

}  // namespace iree_pjrt
