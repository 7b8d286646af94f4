// SPDX-License-Identifier: Apache-2.0
#include "ffi/api.h"
#include "ffi/call_attributes.h"
#include "ffi/foreign_call.h"
#include "ffi/tile_product.h"

namespace iree_pjrt {
namespace {

struct Factor {
  LinesOfProduct lines;
  size_t batch;
  size_t depth;
};

Factor FactorOf(const XLA_FFI_Buffer& buffer, int32_t turned) {
  if (buffer.rank != 3 || (turned & ~1) != 0) RefuseCall(kTileProductTarget);
  const auto dim = [&](int i) { return static_cast<size_t>(buffer.dims[i]); };
  if (turned == 1) return {{buffer.data, dim(2), dim(2), 1}, dim(0), dim(1)};
  return {{buffer.data, dim(1), 1, dim(2)}, dim(0), dim(2)};
}

}  // namespace

void AnswerTileProduct(const XLA_FFI_CallFrame& frame) {
  if (frame.args.size != 2 || frame.rets.size != 2) {
    RefuseCall(kTileProductTarget);
  }
  const auto& a = *static_cast<const XLA_FFI_Buffer*>(frame.args.args[0]);
  const auto& b = *static_cast<const XLA_FFI_Buffer*>(frame.args.args[1]);
  const auto& to = *static_cast<const XLA_FFI_Buffer*>(frame.rets.rets[0]);
  const auto& scratch = *static_cast<const XLA_FFI_Buffer*>(frame.rets.rets[1]);
  const Factor lhs = FactorOf(a, ScalarAttribute(frame.attrs, "lhs_turned"));
  const Factor rhs = FactorOf(b, ScalarAttribute(frame.attrs, "rhs_turned"));
  const auto is = [&](int i, size_t dim) {
    return static_cast<size_t>(to.dims[i]) == dim;
  };
  if (a.dtype != b.dtype || lhs.batch != rhs.batch || lhs.depth != rhs.depth ||
      lhs.depth == 0 || to.rank != 3 || !is(0, lhs.batch) ||
      !is(1, lhs.lines.lines) || !is(2, rhs.lines.lines)) {
    RefuseCall(kTileProductTarget);
  }
  const bool of_floats = a.dtype == XLA_FFI_DataType_BF16;
  const auto result = of_floats ? XLA_FFI_DataType_F32 : XLA_FFI_DataType_S32;
  if ((!of_floats && a.dtype != XLA_FFI_DataType_S8) || to.dtype != result ||
      scratch.rank != 1 || scratch.dtype != XLA_FFI_DataType_S8 ||
      static_cast<size_t>(scratch.dims[0]) !=
          TileProduct::ScratchBytes(lhs.batch, lhs.lines.lines, rhs.lines.lines,
                                    lhs.depth, ByteSizeOf(a.dtype))) {
    RefuseCall(kTileProductTarget);
  }
  const TileProduct product{lhs.lines, rhs.lines, lhs.batch,
                            lhs.depth, to.data,   scratch.data};
  of_floats ? product.OfBfloat16(HasTiles()) : product.OfBytes(HasTiles());
}

}  // namespace iree_pjrt
