// SPDX-License-Identifier: Apache-2.0
// Products of matrices of 8-bit integers and of bfloat16 with AMX's tiles, and
// the handler that large ones of a program are answered by.
#ifndef IREE_PJRT_FFI_TILE_PRODUCT_H_
#define IREE_PJRT_FFI_TILE_PRODUCT_H_

#include <cstddef>
#include <cstdint>

#include "ffi/abi.h"

namespace iree_pjrt {

// Whether this process may use AMX: asks the system for it, once.
bool HasTiles();

// Matrices of numbers to be added up along the depth. A line is a row of the
// first matrix, a column of the second.
struct LinesOfProduct {
  const void* data;
  size_t lines;
  // How many elements of a matrix come between two of a line, and between two
  // lines. One of them is 1.
  size_t along;
  size_t across;
};

// Batches of products: `lhs` and `rhs` of the first one, each `depth` long and
// followed by the next one's. `result`: batch x rows x columns. `scratch`:
// memory of that many bytes, aligned to 64.
struct TileProduct {
  LinesOfProduct lhs;
  LinesOfProduct rhs;
  size_t batch;
  size_t depth;
  void* result;
  void* scratch;

  // Of matrices with these lines; an element has `element_bytes`.
  static size_t ScratchBytes(size_t batch, size_t lhs_lines, size_t rhs_lines,
                             size_t depth, size_t element_bytes);

  // int8 to int32, exact but for overflow, which wraps around; or bfloat16 to
  // float32. With tiles if `with_tiles`, else in plain C++ (slow).
  void OfBytes(bool with_tiles) const;
  void OfBfloat16(bool with_tiles) const;
};

// The custom call that stands for a product: its operands are batch x lines x
// depth, or batch x depth x lines where the attribute (s32) `lhs_turned` or
// `rhs_turned` is 1; its results the product and the scratch memory (s8), of
// which nobody makes use.
inline constexpr char kTileProductTarget[] = "iree_pjrt_tile_product";
void AnswerTileProduct(const XLA_FFI_CallFrame& frame);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_TILE_PRODUCT_H_
