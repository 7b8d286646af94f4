// SPDX-License-Identifier: Apache-2.0
// The type of an array, taken apart as text, in StableHLO or VHLO.
#ifndef IREE_PJRT_MLIR_ARRAY_TYPE_H_
#define IREE_PJRT_MLIR_ARRAY_TYPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/shape.h"
#include "mlir/ir.h"

namespace iree_pjrt {

// `tensor<4x2xf32>` or `!vhlo.tensor_v1<4x2x!vhlo.f32_v1>`.
struct ArrayType {
  std::string before;  // up to and with `<`
  std::vector<int64_t> shape;
  std::string after;  // from the element type on

  // The element type in builtin form: `i32`, `ui8`, `complex<f32>`.
  std::string Element() const;
  // The text of the type with another shape.
  std::string Reshaped(const std::vector<int64_t>& to) const;
};

// How many elements an array of this shape, or of a part of it, has.
int64_t ElementCount(std::span<const int64_t> shape);
// To the next element in row-major order; false after the last.
bool NextIndex(std::vector<int64_t>& index, std::span<const int64_t> shape);
bool HasNoElements(const std::vector<int64_t>& shape);

// Empty for what is no array, or if a dimension is not static.
std::optional<ArrayType> ArrayTypeOf(const Ir& ir, MlirType type);
std::optional<ArrayType> ArrayTypeOf(const Ir& ir, MlirValue value);

// The type as the framework sees it. Throws UNIMPLEMENTED for what is no array
// of a static shape and of elements that PJRT has.
Shape ReadShape(const Ir& ir, MlirType type);

// Of an element type in builtin form: floats, and complex numbers of them.
bool HasFloats(std::string_view element);

// Of an element type in builtin form: floats, and no complex numbers.
bool IsFloat(std::string_view element);

// `f32` of `complex<f32>`; empty for other elements.
std::string ComplexPart(std::string_view element);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_ARRAY_TYPE_H_
