// SPDX-License-Identifier: Apache-2.0
// Products that are transposed: all gradients of weights. IREE (3.11, 3.13)
// writes the product, and then each of its elements to another place; XLA and
// the pass swap the factors. So do they where a vector comes before the rows of
// a matrix, as in gradients by what a layer was given: IREE transposes the
// matrix.
#include <algorithm>
#include <string>
#include <utility>

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "mlir/dimension_numbers.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// The order of a product's dimensions that is that of its swapped factors, but
// for the batching ones, which stay in front in any order.
bool SwapsFree(const Dims& permutation, size_t batching, size_t lhs_free) {
  Dims swapped = permutation;
  std::ranges::sort(swapped.begin(),
                    swapped.begin() + static_cast<ptrdiff_t>(batching));
  Dims wanted = UpTo(permutation.size());
  const auto lhs = wanted.begin() + static_cast<ptrdiff_t>(batching);
  std::rotate(lhs, lhs + static_cast<ptrdiff_t>(lhs_free), wanted.end());
  return swapped == wanted;
}

Dims Ordered(const Dims& dims, const Dims& order) {
  Dims ordered;
  for (size_t i = 0; i < dims.size(); ++i) {
    ordered.push_back(dims.at(static_cast<size_t>(order.at(i))));
  }
  return ordered;
}

void Swap(const Ir& ir, MlirOperation transpose) {
  const MlirValue product = ir.Operands(transpose).at(0);
  const MlirOperation op = ir.Definition(product);
  if (!op.ptr || StablehloName(ir.Name(op)) != "dot_general" ||
      ir.Uses(product).size() != 1) {
    return;
  }
  const MlirValue lhs = ir.Operands(op).at(0);
  const MlirValue rhs = ir.Operands(op).at(1);
  const Dims permutation =
      ReadIntegers(ir, BuiltinAttribute(ir, transpose, "permutation"));
  const auto [lhs_batching, rhs_batching, lhs_contracting, rhs_contracting] =
      ReadProductDimensions(ir, op);
  const size_t lhs_free = StablehloBuilder(ir, op).ShapeOf(lhs).size() -
                          lhs_batching.size() - lhs_contracting.size();
  if (!SwapsFree(permutation, lhs_batching.size(), lhs_free)) return;
  const MlirOperation swapped = ir.CloneBefore(transpose, op);
  ir.api.mlirOperationSetOperand(swapped, 0, rhs);
  ir.api.mlirOperationSetOperand(swapped, 1, lhs);
  WriteProductDimensions(
      ir, swapped,
      {Ordered(rhs_batching, permutation), Ordered(lhs_batching, permutation),
       rhs_contracting, lhs_contracting});
  const MlirValue result = ir.Results(swapped).at(0);
  ir.api.mlirValueSetType(result, ir.ResultTypes(transpose).at(0));
  ir.Replace(transpose, {result});
  ir.api.mlirOperationDestroy(op);
}

// The product of a vector and each row of a matrix.
void PutMatrixFirst(const Ir& ir, MlirOperation op) {
  const StablehloBuilder builder(ir, op);
  const ProductDimensions dimensions = ReadProductDimensions(ir, op);
  const MlirValue vector = ir.Operands(op).at(0);
  const MlirValue matrix = ir.Operands(op).at(1);
  const Dims shape = builder.ShapeOf(matrix);
  const Dims along = {static_cast<int64_t>(shape.size()) - 1};
  const Dims batching = UpTo(dimensions.lhs_batching.size());
  Dims flat = NumbersAt(shape, batching);
  flat.push_back(shape.empty() ? 0 : shape.back());
  if (dimensions.rhs_contracting != along ||
      dimensions.lhs_batching != batching ||
      dimensions.rhs_batching != batching ||
      ElementCount(builder.ShapeOf(vector)) != ElementCount(flat) ||
      ElementCount(shape) <= ElementCount(flat)) {
    return;
  }
  const MlirValue result = ir.Results(op)[0];
  const MlirValue product = builder.Product(
      matrix, builder.Reshape(vector, flat),
      {batching, batching, along, {static_cast<int64_t>(batching.size())}},
      builder.ElementOf(result));
  ir.Replace(op, {builder.Reshape(product, builder.ShapeOf(result))});
}

}  // namespace

void SwapFactors(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) == "transpose") Swap(ir, op);
  }
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) == "dot_general") PutMatrixFirst(ir, op);
  }
}

}  // namespace iree_pjrt
