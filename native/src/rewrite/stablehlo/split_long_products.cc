// SPDX-License-Identifier: Apache-2.0
// Products of matrices with few rows and columns that are long to add up: of
// gradients with what a layer was given, over a large batch. IREE (3.11, 3.13)
// goes over all of both matrices for each tile of the result, and has neither
// in its caches: 128 x 6272 x 128 runs at 53 GFLOP/s, a third of what 128 x
// 1024 x 128 does. The pass multiplies parts that stay in the caches, and adds
// up their products.
#include <algorithm>

#include "mlir/dimension_numbers.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Numbers of both matrices that stay in a core's second cache.
constexpr int64_t kInCache = 100'000;
constexpr int64_t kShortest = 256;
constexpr int64_t kLeastParts = 4;
// The registers hold fewer results, so that each number is read once; of larger
// matrices IREE packs both.
constexpr int64_t kLeastResults = 2048;
constexpr int64_t kLeastRows = 8;
constexpr int64_t kMostRows = 512;
constexpr int64_t kMostReuses = 64;

struct Matrix {
  MlirValue array;
  int64_t rows;    // or columns of the result
  int64_t summed;  // dimension, 0 or 1
};

// The length of each part: one without a rest, if there is one near.
int64_t PartOf(int64_t length, int64_t wanted) {
  for (int64_t part = wanted * 5 / 4; part >= wanted / 2; --part) {
    if (length % part == 0) return part;
  }
  return wanted;
}

// Elements from `begin` to `end` along the dimension that is summed.
MlirValue Between(const StablehloBuilder& builder, const Matrix& matrix,
                  int64_t begin, int64_t end) {
  Dims first(2, 0);
  Dims last = builder.ShapeOf(matrix.array);
  const auto d = static_cast<size_t>(matrix.summed);
  first.at(d) = begin;
  last.at(d) = end;
  return builder.Slice(matrix.array, first, last);
}

// Of what is summed a dimension for the parts and one within each.
MlirValue InParts(const StablehloBuilder& builder, const Matrix& matrix,
                  int64_t parts, int64_t part) {
  const MlirValue whole = Between(builder, matrix, 0, parts * part);
  return builder.Reshape(whole, matrix.summed == 0
                                    ? Dims{parts, part, matrix.rows}
                                    : Dims{matrix.rows, parts, part});
}

void SplitProduct(const Ir& ir, MlirOperation op) {
  const StablehloBuilder builder(ir, op);
  const ProductDimensions dimensions = ReadProductDimensions(ir, op);
  const std::string element = builder.ElementOf(ir.Results(op).at(0));
  Matrix lhs{ir.Operands(op).at(0), 0, 0};
  Matrix rhs{ir.Operands(op).at(1), 0, 0};
  int64_t length = 0;
  const auto read = [&](Matrix& matrix, const Dims& contracting) {
    const Dims shape = builder.ShapeOf(matrix.array);
    if (shape.size() != 2 || contracting.size() != 1) return false;
    matrix.summed = contracting[0];
    length = shape.at(static_cast<size_t>(matrix.summed));
    matrix.rows = shape.at(static_cast<size_t>(1 - matrix.summed));
    return matrix.rows >= kLeastRows && matrix.rows <= kMostRows;
  };
  if (!IsFloat(element) || !read(lhs, dimensions.lhs_contracting) ||
      !read(rhs, dimensions.rhs_contracting)) {
    return;
  }
  const int64_t both = lhs.rows + rhs.rows;
  const int64_t wanted = std::max(kShortest, kInCache / both);
  const int64_t results = lhs.rows * rhs.rows;
  if (results < kLeastResults || results > kMostReuses * both ||
      length < kLeastParts * wanted) {
    return;
  }
  const int64_t part = PartOf(length, wanted);
  const int64_t parts = length / part;
  const MlirValue products = builder.Product(
      InParts(builder, lhs, parts, part), InParts(builder, rhs, parts, part),
      {.lhs_batching = {lhs.summed},
       .rhs_batching = {rhs.summed},
       .lhs_contracting = {lhs.summed + 1},
       .rhs_contracting = {rhs.summed + 1}},
      element);
  MlirValue sum = builder.Sum(products, {0});
  if (parts * part < length) {
    const MlirValue rest = builder.Product(
        Between(builder, lhs, parts * part, length),
        Between(builder, rhs, parts * part, length),
        {.lhs_contracting = {lhs.summed}, .rhs_contracting = {rhs.summed}},
        element);
    sum = builder.Apply("add", {sum, rest});
  }
  ir.Replace(op, {sum});
}

}  // namespace

void SplitLongProducts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) == "dot_general") SplitProduct(ir, op);
  }
}

}  // namespace iree_pjrt
