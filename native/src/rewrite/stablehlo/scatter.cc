// SPDX-License-Identifier: Apache-2.0
#include "rewrite/stablehlo/scatter.h"

#include <limits>

#include "mlir/attributes.h"
#include "mlir/stablehlo_names.h"

namespace iree_pjrt {
namespace {

// Says that an index may come twice, in any order: after a rewrite it may.
void ForgetOrder(const Ir& ir, MlirOperation op) {
  const bool vhlo = IsVhlo(ir.Name(op));
  for (const char* name : {"indices_are_sorted", "unique_indices"}) {
    if (!ir.Attribute(op, name).ptr) continue;
    ir.SetAttribute(op, name,
                    ir.Parse(vhlo ? "#vhlo.bool_v1<false>" : "false"));
  }
}

}  // namespace

MlirValue SignedIndices(const StablehloBuilder& builder, MlirValue indices) {
  const std::string element = builder.ElementOf(indices);
  if (element == "i32" || element == "i64") return indices;
  if (element == "ui64") {
    const MlirValue most = builder.Splat(builder.ShapeOf(indices), element,
                                         std::numeric_limits<int64_t>::max());
    return builder.Convert(builder.Apply("minimum", {indices, most}), "i64");
  }
  return builder.Convert(indices, element == "ui32" ? "i64" : "i32");
}

MlirValue ComponentOf(const StablehloBuilder& builder, MlirValue indices,
                      int64_t vector, int64_t i) {
  const auto d = static_cast<size_t>(vector);
  Dims end = builder.ShapeOf(indices);
  if (end.at(d) != 1) {
    Dims begin(end.size(), 0);
    begin.at(d) = i;
    end.at(d) = i + 1;
    indices = builder.Slice(indices, begin, end);
  }
  end.erase(end.begin() + static_cast<ptrdiff_t>(d));
  return builder.Reshape(indices, end);
}

bool SurelyFit(const Ir& ir, MlirValue indices, int64_t vector,
               const Dims& limits) {
  const MlirOperation constant = ir.Definition(indices);
  if (!constant.ptr || StablehloName(ir.Name(constant)) != "constant") {
    return false;
  }
  const StablehloBuilder builder(ir, constant);
  // IREE takes them for signed.
  if (builder.ElementOf(indices).starts_with("ui")) return false;
  const Dims values = ReadIntegers(ir, BuiltinAttribute(ir, constant, "value"));
  const Dims shape = builder.ShapeOf(indices);
  // How many elements lie between two components of an index.
  size_t step = 1;
  for (size_t d = static_cast<size_t>(vector) + 1; d < shape.size(); ++d) {
    step *= static_cast<size_t>(shape[d]);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t limit = limits[i / step % limits.size()];
    if (values[i] < 0 || values[i] > limit) return false;
  }
  return true;
}

ClampedIndices Clamp(const StablehloBuilder& builder,
                     const std::vector<MlirValue>& components,
                     const Dims& limits) {
  ClampedIndices clamped;
  for (size_t k = 0; k < components.size(); ++k) {
    const std::string element = builder.ElementOf(components[k]);
    const MlirValue inside =
        builder.Clamp(builder.Splat({}, element, 0), components[k],
                      builder.Splat({}, element, limits.at(k)));
    const MlirValue same = builder.Compare("EQ", components[k], inside);
    clamped.fits = k == 0 ? same : builder.Apply("and", {clamped.fits, same});
    clamped.nearest.push_back(inside);
  }
  return clamped;
}

Scatter::Scatter(const Ir& ir, MlirOperation op)
    : ir(ir), op(op), builder(ir, op), numbers(ReadDimensionNumbers(ir, op)) {
  const std::vector<MlirValue> operands = ir.Operands(op);
  const size_t count = operands.size() / 2;
  arrays.assign(operands.begin(),
                operands.begin() + static_cast<std::ptrdiff_t>(count));
  indices = operands.at(count);
  updates.assign(operands.begin() + static_cast<std::ptrdiff_t>(count + 1),
                 operands.end());
}

Dims Scatter::WindowSizes() const {
  const Dims update = builder.ShapeOf(updates.at(0));
  Dims sizes(builder.ShapeOf(arrays.at(0)).size(), 1);
  size_t next = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto dimension = static_cast<int64_t>(d);
    if (IsIn(numbers.inserted, dimension) ||
        IsIn(numbers.batching, dimension)) {
      continue;
    }
    sizes[d] = update.at(static_cast<size_t>(numbers.window.at(next++)));
  }
  return sizes;
}

Dims Scatter::Limits() const {
  const Dims shape = builder.ShapeOf(arrays.at(0));
  const Dims sizes = WindowSizes();
  Dims limits;
  for (const int64_t dimension : numbers.indexed) {
    const auto d = static_cast<size_t>(dimension);
    limits.push_back(shape.at(d) - sizes.at(d));
  }
  return limits;
}

Dims Scatter::BatchDimensions() const {
  Dims batch;
  const auto rank = static_cast<int64_t>(builder.ShapeOf(updates.at(0)).size());
  for (int64_t d = 0; d < rank; ++d) {
    if (!IsIn(numbers.window, d)) batch.push_back(d);
  }
  return batch;
}

Dims Scatter::BatchShape() const {
  const Dims update = builder.ShapeOf(updates.at(0));
  Dims shape;
  for (const int64_t d : BatchDimensions()) {
    shape.push_back(update.at(static_cast<size_t>(d)));
  }
  return shape;
}

MlirValue Scatter::PlainIndices() const {
  const MlirValue plain = SignedIndices(builder, indices);
  Dims shape = builder.ShapeOf(plain);
  const auto rank = static_cast<int64_t>(shape.size());
  if (numbers.vector == rank) {
    shape.push_back(1);
    return builder.Reshape(plain, shape);
  }
  if (numbers.vector == rank - 1) return plain;
  Dims order;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != numbers.vector) order.push_back(d);
  }
  order.push_back(numbers.vector);
  return builder.Transpose(plain, order);
}

void Scatter::SetPlainIndices(MlirValue plain) {
  indices = plain;
  numbers.vector = static_cast<int64_t>(builder.ShapeOf(plain).size()) - 1;
}

void Scatter::Write(const Back& back) const {
  std::vector<MlirValue> operands = arrays;
  operands.push_back(indices);
  operands.insert(operands.end(), updates.begin(), updates.end());
  for (size_t i = 0; i < operands.size(); ++i) {
    ir.api.mlirOperationSetOperand(op, static_cast<intptr_t>(i), operands[i]);
  }
  WriteDimensionNumbers(ir, op, numbers);
  ForgetOrder(ir, op);
  if (!back) return;
  const StablehloBuilder after(ir, ir.api.mlirOperationGetNextInBlock(op), op);
  const std::vector<MlirValue> results = ir.Results(op);
  for (size_t i = 0; i < results.size(); ++i) {
    const std::vector<Use> uses = ir.Uses(results[i]);
    ir.api.mlirValueSetType(results[i], ir.api.mlirValueGetType(arrays[i]));
    ir.SetUses(uses, back(after, results[i]));
  }
}

std::vector<MlirOperation> ScattersIn(const Ir& ir) {
  std::vector<MlirOperation> scatters;
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) == "scatter") scatters.push_back(op);
  }
  return scatters;
}

}  // namespace iree_pjrt
