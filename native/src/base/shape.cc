// SPDX-License-Identifier: Apache-2.0
#include "base/shape.h"

#include <cstring>
#include <string>

#include "base/status.h"

namespace iree_pjrt {

int64_t Shape::element_count() const {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  return count;
}

size_t Shape::byte_size() const {
  return static_cast<size_t>(element_count()) * type->byte_size;
}

Shape MakeShape(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims) {
  if (num_dims > 0 && !dims) ThrowInvalidArgument("dims is null");
  Shape shape{&ElementTypeOf(type), {}};
  shape.dims.assign(dims, dims + num_dims);
  int64_t size = shape.type->byte_size;
  bool overflow = false;
  bool empty = false;
  for (int64_t dim : shape.dims) {
    if (dim < 0) {
      ThrowInvalidArgument("dimension " + std::to_string(dim) + " is negative");
    }
    if (dim == 0) {
      empty = true;
    } else {
      overflow |= __builtin_mul_overflow(size, dim, &size);
    }
  }
  if (overflow && !empty) {
    throw Error(PJRT_Error_Code_RESOURCE_EXHAUSTED,
                "an array of this shape has more than 2^63 bytes");
  }
  return shape;
}

std::vector<int64_t> RowMajorOrder(size_t rank) {
  std::vector<int64_t> order(rank);
  for (size_t i = 0; i < rank; ++i)
    order[i] = static_cast<int64_t>(rank - 1 - i);
  return order;
}

std::vector<int64_t> DenseStrides(const Shape& shape,
                                  std::span<const int64_t> minor_to_major) {
  const size_t rank = shape.dims.size();
  if (minor_to_major.size() != rank) {
    ThrowInvalidArgument("a layout of rank " +
                         std::to_string(minor_to_major.size()) +
                         " for an array of rank " + std::to_string(rank));
  }
  std::vector<int64_t> strides(rank, 0);
  std::vector<bool> seen(rank, false);
  int64_t stride = shape.type->byte_size;
  for (int64_t dim : minor_to_major) {
    if (dim < 0 || static_cast<size_t>(dim) >= rank || seen[dim]) {
      ThrowInvalidArgument("minor_to_major is not a permutation");
    }
    seen[dim] = true;
    strides[dim] = stride;
    stride *= shape.dims[dim];
  }
  return strides;
}

std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  return DenseStrides(shape, RowMajorOrder(shape.dims.size()));
}

bool IsRowMajor(const Shape& shape, std::span<const int64_t> byte_strides) {
  if (shape.element_count() == 0) return true;
  int64_t expected = shape.type->byte_size;
  for (size_t i = shape.dims.size(); i-- > 0;) {
    if (shape.dims[i] == 1) continue;
    if (byte_strides[i] != expected) return false;
    expected *= shape.dims[i];
  }
  return true;
}

std::vector<int64_t> StridesOfLayout(const Shape& shape,
                                     const PJRT_Buffer_MemoryLayout* layout) {
  if (!layout) return RowMajorStrides(shape);
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    const auto& strides = layout->strides;
    if (strides.num_byte_strides != shape.dims.size()) {
      ThrowInvalidArgument("the layout's strides do not fit the array's rank");
    }
    return {strides.byte_strides,
            strides.byte_strides + strides.num_byte_strides};
  }
  if (layout->tiled.num_tiles > 0) {
    ThrowUnimplemented("tiled memory layouts are not supported");
  }
  return DenseStrides(
      shape, {layout->tiled.minor_to_major, layout->tiled.minor_to_major_size});
}

namespace {

struct StridedCopy {
  const Shape& shape;
  std::span<const int64_t> from_strides;
  std::span<const int64_t> to_strides;
  // From this dimension on both sides are dense: one memcpy.
  size_t dense_from;
  size_t dense_bytes;

  void Run(size_t dim, const char* from, char* to) const {
    if (dim == dense_from) {
      std::memcpy(to, from, dense_bytes);
      return;
    }
    for (int64_t i = 0; i < shape.dims[dim]; ++i) {
      Run(dim + 1, from, to);
      from += from_strides[dim];
      to += to_strides[dim];
    }
  }
};

}  // namespace

void CopyStrided(const Shape& shape, const void* from,
                 std::span<const int64_t> from_strides, void* to,
                 std::span<const int64_t> to_strides) {
  if (shape.element_count() == 0) return;
  size_t dense_from = shape.dims.size();
  int64_t dense_bytes = shape.type->byte_size;
  while (dense_from > 0) {
    const size_t dim = dense_from - 1;
    const bool dense =
        from_strides[dim] == dense_bytes && to_strides[dim] == dense_bytes;
    if (shape.dims[dim] != 1 && !dense) break;
    dense_bytes *= shape.dims[dim];
    --dense_from;
  }
  const StridedCopy copy{shape, from_strides, to_strides, dense_from,
                         static_cast<size_t>(dense_bytes)};
  copy.Run(0, static_cast<const char*>(from), static_cast<char*>(to));
}

}  // namespace iree_pjrt
