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
  // What a buffer view says. Integers are signless: the compiler lowers ui32
  // and si32 to the same i32.
  iree_hal_element_type_t iree;
  // As XLA stores it: whole bytes, also for types of 4 bits.
  uint32_t byte_size;
  // In StableHLO; VHLO says `!vhlo.<name>_v1`, with i1 as bool and iN as si/ui.
  std::string_view mlir;
  std::string_view vhlo;
};

// Throws UNIMPLEMENTED for a type that has no storage here.
const ElementType& ElementTypeOf(PJRT_Buffer_Type type);

// Null if no element type has this MLIR name (either dialect's).
const ElementType* FindElementTypeByMlirName(std::string_view name);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_ELEMENT_TYPE_H_
