// SPDX-License-Identifier: Apache-2.0
// Element types: PJRT's, IREE's and MLIR's names for the same thing.
#ifndef IREE_PJRT_BASE_ELEMENT_TYPE_H_
#define IREE_PJRT_BASE_ELEMENT_TYPE_H_

#include <cstdint>
#include <string_view>

#include "iree/hal/api.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt {

struct ElementType {
  PJRT_Buffer_Type pjrt;
  // The type that a buffer view states. Integers are signless: the compiler
  // lowers ui32 and si32 to the same i32.
  iree_hal_element_type_t iree;
  // The size in XLA's arrays: whole bytes, also for types of 4 bits.
  uint32_t byte_size;
  // The name in StableHLO.
  std::string_view mlir;
};

// Throws UNIMPLEMENTED for a type that has no storage here.
const ElementType& ElementTypeOf(PJRT_Buffer_Type type);

// Null if no element type has this name in StableHLO.
const ElementType* FindElementTypeByMlirName(std::string_view name);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_ELEMENT_TYPE_H_
