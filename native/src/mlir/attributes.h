// SPDX-License-Identifier: Apache-2.0
// Attributes of operations as data. VHLO's own attributes have no C API, but
// each is printed as the builtin one in a wrapper: without the wrappers the
// text is parsed again.
#ifndef IREE_PJRT_MLIR_ATTRIBUTES_H_
#define IREE_PJRT_MLIR_ATTRIBUTES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ffi/foreign_call.h"
#include "mlir/ir.h"

namespace iree_pjrt {

// `#vhlo.integer_v1<3 : i32>` is `3 : i32`, `!vhlo.f32_v1` is `f32`; all other
// text stays.
std::string WithoutVhlo(std::string_view printed);

// The attribute in builtin form; null if the operation has none of that name.
MlirAttribute BuiltinAttribute(const Ir& ir, MlirOperation op,
                               std::string_view name);

// The attribute as handlers get it. Throws UNIMPLEMENTED for kinds of
// attributes that the FFI does not have.
ForeignAttribute ReadForeignAttribute(const Ir& ir, MlirAttribute attribute);

// `3 : i64`. Throws INVALID_ARGUMENT for what is no integer.
int64_t ReadInteger(const Ir& ir, MlirAttribute attribute);

// `TOTALORDER` of `#stablehlo<comparison_type TOTALORDER>`; empty for null.
std::string ReadWord(const Ir& ir, MlirAttribute attribute);

// The text of a string; empty for null.
std::string ReadString(const Ir& ir, MlirAttribute attribute);

// The entry of a dictionary; null if it has none of that name.
MlirAttribute EntryOf(const Ir& ir, MlirAttribute dictionary,
                      std::string_view name);

// The numbers of a `dense` of integers or index, row major, or of an `array`.
// What is too large for the sign is negative.
std::vector<int64_t> ReadIntegers(const Ir& ir, MlirAttribute attribute);

// Whether it is a `dense` of one number; false for null.
bool IsSplat(const Ir& ir, MlirAttribute attribute);

// The bits of the number of which StableHLO's constant is made, whose elements
// have so many bytes, up to 8; nullopt for what is no such constant.
std::optional<uint64_t> ConstantBits(const Ir& ir, MlirValue value,
                                     size_t bytes);

// `array<i64: 1, 2>`
std::string Array64(const std::vector<int64_t>& numbers);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_ATTRIBUTES_H_
