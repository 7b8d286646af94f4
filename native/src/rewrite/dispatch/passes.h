// SPDX-License-Identifier: Apache-2.0
// Once IREE has chosen how each dispatch is compiled: tiles, vectors, and what
// happens where they do not fit.
#ifndef IREE_PJRT_REWRITE_DISPATCH_PASSES_H_
#define IREE_PJRT_REWRITE_DISPATCH_PASSES_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// Booleans are reduced as the bytes that they are.
void ReduceBooleans(const Ir& ir);

// Elementwise loops that take elements backwards, or narrow ones: left to LLVM.
void TakeInLoops(const Ir& ir);

// Rows taken by index are read in vectors, not element by element.
void TakeRows(const Ir& ir);

// Reductions of a few columns take whole vectors.
void TileColumnReductions(const Ir& ir);

// Reductions of rows take several vectors of a row at once.
void TileRowReductions(const Ir& ir);

// Transposes take squares and parts that divide their lines.
void TileTransposes(const Ir& ir);

// Workers get whole vectors of results, and rows in few pieces.
void FillParts(const Ir& ir);

// Loops take whole vectors, and what is left element by element.
void PeelLoops(const Ir& ir);

// Products of packed arrays are computed by IREE's microkernels, where those
// are faster than what it compiles.
void CallMicrokernels(const Ir& ir);

// Packed products: parts of the result that read what stays in a cache.
void TilePackedProducts(const Ir& ir);

// Products of float64 are computed by tiles that fill the registers.
void TileFloat64Products(const Ir& ir);

// Products of a vector and a matrix are computed by tiles of long rows.
void TileRowProducts(const Ir& ir);

// Convolutions are computed by tiles that fill the registers.
void TileConvolutions(const Ir& ir);

// LLVM makes vectors of complex numbers.
void VectorizeComplex(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_DISPATCH_PASSES_H_
