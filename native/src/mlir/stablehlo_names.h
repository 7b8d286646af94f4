// SPDX-License-Identifier: Apache-2.0
// The names of StableHLO's operations, in both of its forms (`vhlo.x_v1` and
// `stablehlo.x`).
#ifndef IREE_PJRT_MLIR_STABLEHLO_NAMES_H_
#define IREE_PJRT_MLIR_STABLEHLO_NAMES_H_

#include <string>
#include <string_view>

namespace iree_pjrt {

// `vhlo.all_reduce_v2` and `stablehlo.all_reduce` are both `all_reduce`; other
// dialects' operations have no StableHLO name (empty).
std::string_view StablehloName(std::string_view operation_name);

// Whether an operation is of VHLO, the form of StableHLO that is sent.
bool IsVhlo(std::string_view operation_name);

// Whether an operation calls a function of the module.
bool IsCall(std::string_view operation_name);

// The name of an operation of StableHLO in the form of another operation's:
// `vhlo.reshape_v1` or `stablehlo.reshape`.
std::string StablehloNameLike(std::string_view like, std::string_view name);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_STABLEHLO_NAMES_H_
