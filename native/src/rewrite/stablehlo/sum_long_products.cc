// SPDX-License-Identifier: Apache-2.0
// Products of a matrix or a vector with a long vector. IREE (3.11 and 3.13)
// adds one vector of products after another, at worst one number: in float32
// the product of two vectors of ten million is off by a hundredth. The pass
// makes reductions of elementwise products of them, for SplitReductions. For
// CPUs, also of rows: IREE transposes 8 or 16 of them in registers, 1024 x 1024
// with AVX2 in 160 us (float32) and 210 (bfloat16), which sums take 70 for.
#include <algorithm>
#include <string>
#include <utility>

#include "mlir/attributes.h"
#include "mlir/dimension_numbers.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Shorter sums are exact enough, and faster as products.
constexpr int64_t kLong = 1 << 16;
// In loops, shorter rows are slower as sums.
constexpr int64_t kLongRow = 512;

// One side of the product.
struct Side {
  MlirValue array;
  Dims shape;
  Dims batching;
  Dims contracting;
  Dims free;  // in the order of the result

  bool IsVector() const {
    return std::ranges::all_of(
        free, [this](int64_t d) { return shape[static_cast<size_t>(d)] == 1; });
  }
};

Side SideOf(const StablehloBuilder& builder, MlirValue array,
            const Dims& batching, const Dims& contracting) {
  const Dims shape = builder.ShapeOf(array);
  return {array, shape, batching, contracting,
          FreeDimensions(shape.size(), batching, contracting)};
}

// Takes dimensions of one element away that only one side has.
void DropOnes(const StablehloBuilder& builder, Side& side) {
  const auto is_one = [&](int64_t d) {
    return side.shape[static_cast<size_t>(d)] == 1 && IsIn(side.free, d);
  };
  Dims shape;
  Dims place(side.shape.size());  // of the dimension among those that are left
  for (size_t d = 0; d < side.shape.size(); ++d) {
    place[d] = static_cast<int64_t>(shape.size());
    if (!is_one(static_cast<int64_t>(d))) shape.push_back(side.shape[d]);
  }
  std::erase_if(side.free, is_one);
  for (Dims* dims : {&side.batching, &side.contracting, &side.free}) {
    for (int64_t& d : *dims) d = place[static_cast<size_t>(d)];
  }
  side.array = builder.Reshape(side.array, shape);
  side.shape = shape;
}

// Takes an array as it was before it was transposed.
void SkipTransposes(const Ir& ir, const StablehloBuilder& builder, Side& side) {
  for (MlirOperation op; (op = ir.Definition(side.array)).ptr &&
                         StablehloName(ir.Name(op)) == "transpose";) {
    const Dims permutation =
        ReadIntegers(ir, BuiltinAttribute(ir, op, "permutation"));
    side.array = ir.api.mlirOperationGetOperand(op, 0);
    side.shape = builder.ShapeOf(side.array);
    for (Dims* dims : {&side.batching, &side.contracting, &side.free}) {
      for (int64_t& d : *dims) d = permutation.at(static_cast<size_t>(d));
    }
  }
}

// The vector in the shape of the matrix, the same for all dimensions that it
// does not have.
MlirValue Spread(const StablehloBuilder& builder, const Side& vector,
                 const Side& matrix) {
  Dims along(vector.shape.size());
  const auto pair = [&](const Dims& from, const Dims& to) {
    for (size_t i = 0; i < from.size(); ++i) {
      along[static_cast<size_t>(from[i])] = to.at(i);
    }
  };
  pair(vector.batching, matrix.batching);
  pair(vector.contracting, matrix.contracting);
  Dims order = UpTo(along.size());
  std::ranges::sort(order, {},
                    [&](int64_t d) { return along[static_cast<size_t>(d)]; });
  const MlirValue ordered = builder.Transpose(vector.array, order);
  std::ranges::sort(along);
  return builder.Broadcast(ordered, matrix.shape, along);
}

// The sums, with the dimensions that are left in the order of the result.
MlirValue Ordered(const StablehloBuilder& builder, MlirValue sums,
                  const Side& matrix) {
  Dims wanted = matrix.batching;
  wanted.insert(wanted.end(), matrix.free.begin(), matrix.free.end());
  Dims left = wanted;
  std::ranges::sort(left);
  Dims order;
  for (const int64_t d : wanted) {
    order.push_back(std::ranges::find(left, d) - left.begin());
  }
  return builder.Transpose(sums, order);
}

int64_t LengthOf(const Side& side) {
  int64_t length = 1;
  for (const int64_t d : side.contracting) {
    length *= side.shape[static_cast<size_t>(d)];
  }
  return length;
}

// Whether whole rows of a matrix are multiplied, as it lies in memory.
bool IsOfLongRows(const Ir& ir, const StablehloBuilder& builder, Side matrix) {
  SkipTransposes(ir, builder, matrix);
  return matrix.shape.size() == 2 && matrix.contracting == Dims{1} &&
         matrix.shape[0] > 1 && matrix.shape[1] >= kLongRow;
}

void Rewrite(const Ir& ir, MlirOperation op, bool rows) {
  const StablehloBuilder builder(ir, op);
  const std::string element =
      builder.ElementOf(ir.api.mlirOperationGetResult(op, 0));
  const ProductDimensions dimensions = ReadProductDimensions(ir, op);
  Side matrix = SideOf(builder, ir.api.mlirOperationGetOperand(op, 0),
                       dimensions.lhs_batching, dimensions.lhs_contracting);
  Side vector = SideOf(builder, ir.api.mlirOperationGetOperand(op, 1),
                       dimensions.rhs_batching, dimensions.rhs_contracting);
  if (!vector.IsVector()) std::swap(matrix, vector);
  if (!vector.IsVector() || !HasFloats(element) ||
      (LengthOf(matrix) < kLong &&
       !(rows && IsOfLongRows(ir, builder, matrix)))) {
    return;
  }
  for (Side* each : {&matrix, &vector}) {
    SkipTransposes(ir, builder, *each);
    DropOnes(builder, *each);
    if (builder.ElementOf(each->array) != element) {
      each->array = builder.Convert(each->array, element);
    }
  }
  const MlirValue products = builder.Apply(
      "multiply", {matrix.array, Spread(builder, vector, matrix)});
  Dims reduced = matrix.contracting;
  std::ranges::sort(reduced);
  const MlirValue sums = builder.Sum(products, reduced);
  ir.Replace(op, {builder.Reshape(
                     Ordered(builder, sums, matrix),
                     builder.ShapeOf(ir.api.mlirOperationGetResult(op, 0)))});
}

}  // namespace

void SumLongProducts(const Ir& ir, bool rows) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) == "dot_general") Rewrite(ir, op, rows);
  }
}

}  // namespace iree_pjrt
