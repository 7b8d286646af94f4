// SPDX-License-Identifier: Apache-2.0
// Shapes and dense layouts: sizes, strides, and copies between a strided host
// array and a dense buffer. Plain functions, no state.
#ifndef IREE_PJRT_BASE_SHAPE_H_
#define IREE_PJRT_BASE_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/element_type.h"

namespace iree_pjrt {

struct Shape {
  const ElementType* type = nullptr;
  std::vector<int64_t> dims;

  int64_t element_count() const;
  size_t byte_size() const;
};

// Checks dims (none negative, the size fits). Throws INVALID_ARGUMENT.
Shape MakeShape(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims);

// Byte strides of a dense array whose dimensions, from the fastest to the
// slowest, are `minor_to_major`.
std::vector<int64_t> DenseStrides(const Shape& shape,
                                  std::span<const int64_t> minor_to_major);
// Row major: the last dimension is the fastest.
std::vector<int64_t> RowMajorStrides(const Shape& shape);
std::vector<int64_t> RowMajorOrder(size_t rank);

// True if an array with these strides is laid out exactly as row major;
// dimensions of size one may have any stride.
bool IsRowMajor(const Shape& shape, std::span<const int64_t> byte_strides);

// The strides that `layout` (null: row major) asks for. Throws UNIMPLEMENTED
// for tiles, INVALID_ARGUMENT for a layout that does not fit the shape.
std::vector<int64_t> StridesOfLayout(const Shape& shape,
                                     const PJRT_Buffer_MemoryLayout* layout);

// Copies every element from `from` to `to`; strides may be negative.
void CopyStrided(const Shape& shape, const void* from,
                 std::span<const int64_t> from_strides, void* to,
                 std::span<const int64_t> to_strides);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_SHAPE_H_
