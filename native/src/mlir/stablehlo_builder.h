// SPDX-License-Identifier: Apache-2.0
// Makes operations of StableHLO on arrays right before an operation, in the
// form (`vhlo.` or `stablehlo.`) that this operation has. Lives shorter than
// the Ir that it is made from.
#ifndef IREE_PJRT_MLIR_STABLEHLO_BUILDER_H_
#define IREE_PJRT_MLIR_STABLEHLO_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/dimension_numbers.h"
#include "mlir/ir.h"

namespace iree_pjrt {

using Dims = std::vector<int64_t>;

// 0, 1, ..., rank - 1: all dimensions in their order.
Dims UpTo(size_t rank);
// The order that undoes this one.
Dims Inverse(const Dims& order);

// The numbers at these places, in their order.
Dims NumbersAt(const Dims& numbers, const Dims& places);

// A list of integers as an attribute, in the form that operations like `op`
// have: `array<i64: 1, 2>` or VHLO's.
MlirAttribute IntegersLike(const Ir& ir, MlirOperation op, const Dims& numbers);
// Pairs of integers, as paddings are: `dense<[[1, 2]]> : tensor<1x2xi64>`, or
// VHLO's. The lists have one length, at least 1.
MlirAttribute PairsLike(const Ir& ir, MlirOperation op, const Dims& first,
                        const Dims& second);
// `1 : i64`, or VHLO's.
MlirAttribute IntegerLike(const Ir& ir, MlirOperation op, int64_t number);

class StablehloBuilder {
 public:
  // Operations get the form of `like`; without it, that of `before`.
  StablehloBuilder(const Ir& ir, MlirOperation before, MlirOperation like = {});

  // The type of an array; `element` is in builtin form.
  MlirType Type(const Dims& shape, std::string_view element) const;
  // Throws UNIMPLEMENTED if a dimension is not static.
  ArrayType TypeOf(MlirValue array) const;
  Dims ShapeOf(MlirValue array) const { return TypeOf(array).shape; }
  std::string ElementOf(MlirValue array) const {
    return TypeOf(array).Element();
  }

  // A constant of one number everywhere, such as `0` or `-0.0`.
  MlirValue Splat(MlirType type, std::string_view number) const;
  MlirValue Splat(const Dims& shape, std::string_view element,
                  int64_t number) const;
  // Zeros of the type of `array`.
  MlirValue Zeros(MlirValue array) const;
  // A constant of rank one.
  MlirValue Integers(std::string_view element, const Dims& numbers) const;
  MlirValue Iota(const Dims& shape, std::string_view element,
                 int64_t dimension) const;

  MlirValue Reshape(MlirValue array, const Dims& shape) const;
  MlirValue Broadcast(MlirValue array, const Dims& shape,
                      const Dims& along) const;
  MlirValue Transpose(MlirValue array, const Dims& permutation) const;
  MlirValue Convert(MlirValue array, std::string_view element) const;
  // From `begin` up to `end`.
  MlirValue Slice(MlirValue array, const Dims& begin, const Dims& end) const {
    return Slice(array, begin, end, Dims(end.size(), 1));
  }
  MlirValue Slice(MlirValue array, const Dims& begin, const Dims& end,
                  const Dims& strides) const;
  // `fill`: a scalar; `low` and `high` are negative where elements go;
  // `interior`: how many come between two.
  MlirValue Pad(MlirValue array, MlirValue fill, const Dims& low,
                const Dims& high, const Dims& interior) const;
  // With zeros, at both ends.
  MlirValue Pad(MlirValue array, const Dims& low, const Dims& high) const;
  // `starts`: scalars, one for each dimension.
  MlirValue DynamicSlice(MlirValue array, const std::vector<MlirValue>& starts,
                         const Dims& sizes) const;
  // The array with this part at `starts`.
  MlirValue DynamicUpdateSlice(MlirValue array, MlirValue part,
                               const std::vector<MlirValue>& starts) const;
  // `arrays`: at least one.
  MlirValue Concatenate(const std::vector<MlirValue>& arrays,
                        int64_t dimension) const;

  // `dot_general`, as precise as what it is like, a product or a convolution.
  MlirValue Product(MlirValue lhs, MlirValue rhs,
                    const ProductDimensions& dimensions,
                    std::string_view element) const;

  // The bounds are scalars, or have the shape of `array`.
  MlirValue Clamp(MlirValue least, MlirValue array, MlirValue most) const;
  MlirValue BitcastConvert(MlirValue array, std::string_view element) const;
  // Of signed integers or floats; `direction`: `EQ`, `GT`.
  MlirValue Compare(std::string_view direction, MlirValue a, MlirValue b) const;
  MlirValue Select(MlirValue mask, MlirValue yes, MlirValue no) const;
  // An operation whose result has the type of its first operand: `add`, `and`.
  MlirValue Apply(std::string_view name,
                  const std::vector<MlirValue>& operands) const;
  // `optimization_barrier`: the array, computed before what uses it.
  MlirValue Barrier(MlirValue array) const;
  // `real` or `imag` of complex numbers.
  MlirValue Part(std::string_view name, MlirValue array) const;
  MlirValue Complex(MlirValue real, MlirValue imaginary) const;
  // For each element of the operands, which have one shape, what the region of
  // `op` with this number computes of them as its result with this number.
  MlirValue Map(MlirOperation op, intptr_t region, intptr_t result,
                const std::vector<MlirValue>& operands) const;
  // The `maximum` or the `minimum` of the elements along dimensions and of
  // `start`; of floats, NaN.
  MlirValue Extreme(std::string_view name, MlirValue array, MlirValue start,
                    const Dims& dimensions) const;
  // The sums of floats along dimensions.
  MlirValue Sum(MlirValue array, const Dims& dimensions) const;
  // Those of each of several arrays of one type, by one operation.
  std::vector<MlirValue> Sums(const std::vector<MlirValue>& arrays,
                              const Dims& dimensions) const;
  // Of a handler of the typed FFI; `attributes` is the text of a dictionary.
  MlirOperation ForeignCall(std::string_view target,
                            const std::vector<MlirValue>& operands,
                            const std::vector<MlirType>& results,
                            std::string_view attributes) const;
  // An array of one dimension, after the updates (of one dimension) were
  // combined with its elements at the indices (of two, the second is 1) by the
  // region of `op` with this number.
  MlirValue ScatterElements(MlirOperation op, intptr_t region, MlirValue array,
                            MlirValue indices, MlirValue updates) const;

 private:
  // Reductions of arrays of one type, which begin with `start`, by a binary
  // operation.
  std::vector<MlirValue> Reduce(std::string_view name,
                                const std::vector<MlirValue>& arrays,
                                MlirValue start, const Dims& dimensions) const;
  // An operation of one result, whose body is a region of `op` that returns
  // only one of its results.
  MlirOperation MakeLike(
      MlirOperation op, intptr_t region, intptr_t result, std::string_view name,
      const std::vector<MlirValue>& operands, const Dims& shape,
      const std::vector<MlirNamedAttribute>& attributes) const;
  MlirValue Make(std::string_view name, const std::vector<MlirValue>& operands,
                 MlirType type,
                 const std::vector<MlirNamedAttribute>& attributes = {}) const;
  MlirType Reshaped(MlirValue array, const Dims& shape) const;
  MlirNamedAttribute Integers(const char* name, const Dims& numbers) const;
  MlirNamedAttribute Integer(const char* name, int64_t number) const;
  MlirValue Constant(MlirType type, const std::string& numbers) const;

  const Ir& ir_;
  const MlirOperation before_;
  const MlirOperation like_;
  const bool vhlo_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_STABLEHLO_BUILDER_H_
