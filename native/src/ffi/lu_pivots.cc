// SPDX-License-Identifier: Apache-2.0
#include "ffi/lu_pivots.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "ffi/api.h"

namespace iree_pjrt {
namespace {

// The last dimension of an array of s32.
size_t LineOf(const XLA_FFI_Buffer& buffer) {
  if (buffer.dtype != XLA_FFI_DataType_S32 || buffer.rank < 1)
    RefuseCall(kLuPivotsTarget);
  return static_cast<size_t>(buffer.dims[buffer.rank - 1]);
}

// Other than a decomposition's, pivots may name rows that are not there: they
// count from the end, and beyond either end nothing is written. So does JAX's
// own loop.
void Permute(std::span<const int32_t> pivots, std::span<int32_t> rows) {
  std::iota(rows.begin(), rows.end(), 0);
  const auto size = static_cast<int64_t>(rows.size());
  for (size_t i = 0; i < pivots.size(); ++i) {
    const int64_t asked = pivots[i] < 0 ? pivots[i] + size : pivots[i];
    const int64_t other = std::clamp(asked, int64_t{0}, size - 1);
    const int32_t row =
        std::exchange(rows[i], rows[static_cast<size_t>(other)]);
    if (other == asked) rows[static_cast<size_t>(other)] = row;
  }
}

}  // namespace

void AnswerLuPivots(const XLA_FFI_CallFrame& frame) {
  if (frame.args.size != 1 || frame.rets.size != 1) RefuseCall(kLuPivotsTarget);
  const auto& from = *static_cast<const XLA_FFI_Buffer*>(frame.args.args[0]);
  const auto& to = *static_cast<const XLA_FFI_Buffer*>(frame.rets.rets[0]);
  const size_t steps = LineOf(from);
  const size_t size = LineOf(to);
  if (steps > size || !std::equal(from.dims, from.dims + from.rank - 1, to.dims,
                                  to.dims + to.rank - 1)) {
    RefuseCall(kLuPivotsTarget);
  }
  const size_t lines =
      std::accumulate(to.dims, to.dims + to.rank - 1, size_t{1},
                      [](size_t a, int64_t dim) { return a * dim; });
  const auto* pivots = static_cast<const int32_t*>(from.data);
  auto* rows = static_cast<int32_t*>(to.data);
  for (size_t i = 0; i < lines; ++i) {
    Permute({pivots + i * steps, steps}, {rows + i * size, size});
  }
}

}  // namespace iree_pjrt
