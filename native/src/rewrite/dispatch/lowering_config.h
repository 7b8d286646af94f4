// SPDX-License-Identifier: Apache-2.0
// The sizes by which IREE tiles a dispatch, as its `lowering_config` says them.
#ifndef IREE_PJRT_REWRITE_DISPATCH_LOWERING_CONFIG_H_
#define IREE_PJRT_REWRITE_DISPATCH_LOWERING_CONFIG_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// The parts of each loop that are given to workers.
inline constexpr std::string_view kDistribution = "distribution";
// Of these, what stays in a cache.
inline constexpr std::string_view kCaches = "cache_parallel";
// How many turns of each loop are one vector, or one after another in
// registers.
inline constexpr std::string_view kVectors = "vector_common_parallel";
// The same of the loops that are reduced.
inline constexpr std::string_view kReducedVectors = "vector_reduction";

// One for each loop; empty where IREE chose none.
std::vector<int64_t> TileSizes(const Ir& ir, MlirOperation op,
                               std::string_view level);
// Chooses others, where IREE chose some.
void SetTileSizes(const Ir& ir, MlirOperation op, std::string_view level,
                  const std::vector<int64_t>& sizes);

// None of them is larger than that.
void LimitTileSizes(const Ir& ir, MlirOperation op, std::string_view level,
                    int64_t most);
// The least number of whole tiles that hold so many turns, in turns.
int64_t UpToWhole(int64_t turns, int64_t tile);
// The largest divisor up to `limit`.
int64_t DivisorUpTo(int64_t limit, int64_t number);

// Integers of up to 16 bits, and floats of 16: processors without AVX-512 have
// no masks for them, and none gathers them.
bool IsNarrow(const Ir& ir, MlirType element);

// What has vectors in the function of an operation, which is in it, too.
std::vector<MlirOperation> TiledWith(const Ir& ir, MlirOperation op);
// Null for an operation without a single result.
MlirType ResultTypeOf(const Ir& ir, MlirOperation op);
// Whether all of that has results of one type, and loops in the order of its
// dimensions, but for those that are reduced.
bool TiledAs(const Ir& ir, MlirOperation op);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_DISPATCH_LOWERING_CONFIG_H_
