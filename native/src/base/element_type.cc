// SPDX-License-Identifier: Apache-2.0
#include "base/element_type.h"

#include <string>

#include "base/status.h"

namespace iree_pjrt {
namespace {

// Types that newer headers add to the enumeration, whose order is stable.
constexpr auto kS1 = static_cast<PJRT_Buffer_Type>(30);
constexpr auto kU1 = static_cast<PJRT_Buffer_Type>(31);

constexpr ElementType kTypes[] = {
    {PJRT_Buffer_Type_PRED, IREE_HAL_ELEMENT_TYPE_BOOL_8, 1, "i1"},
    {PJRT_Buffer_Type_S8, IREE_HAL_ELEMENT_TYPE_INT_8, 1, "i8"},
    {PJRT_Buffer_Type_S16, IREE_HAL_ELEMENT_TYPE_INT_16, 2, "i16"},
    {PJRT_Buffer_Type_S32, IREE_HAL_ELEMENT_TYPE_INT_32, 4, "i32"},
    {PJRT_Buffer_Type_S64, IREE_HAL_ELEMENT_TYPE_INT_64, 8, "i64"},
    {PJRT_Buffer_Type_U8, IREE_HAL_ELEMENT_TYPE_INT_8, 1, "ui8"},
    {PJRT_Buffer_Type_U16, IREE_HAL_ELEMENT_TYPE_INT_16, 2, "ui16"},
    {PJRT_Buffer_Type_U32, IREE_HAL_ELEMENT_TYPE_INT_32, 4, "ui32"},
    {PJRT_Buffer_Type_U64, IREE_HAL_ELEMENT_TYPE_INT_64, 8, "ui64"},
    {PJRT_Buffer_Type_F16, IREE_HAL_ELEMENT_TYPE_FLOAT_16, 2, "f16"},
    {PJRT_Buffer_Type_F32, IREE_HAL_ELEMENT_TYPE_FLOAT_32, 4, "f32"},
    {PJRT_Buffer_Type_F64, IREE_HAL_ELEMENT_TYPE_FLOAT_64, 8, "f64"},
    {PJRT_Buffer_Type_BF16, IREE_HAL_ELEMENT_TYPE_BFLOAT_16, 2, "bf16"},
    {PJRT_Buffer_Type_C64, IREE_HAL_ELEMENT_TYPE_COMPLEX_FLOAT_64, 8,
     "complex<f32>"},
    {PJRT_Buffer_Type_C128, IREE_HAL_ELEMENT_TYPE_COMPLEX_FLOAT_128, 16,
     "complex<f64>"},
    {PJRT_Buffer_Type_F8E5M2, IREE_HAL_ELEMENT_TYPE_FLOAT_8_E5M2, 1, "f8E5M2"},
    {PJRT_Buffer_Type_F8E4M3FN, IREE_HAL_ELEMENT_TYPE_FLOAT_8_E4M3_FN, 1,
     "f8E4M3FN"},
    {PJRT_Buffer_Type_F8E5M2FNUZ, IREE_HAL_ELEMENT_TYPE_FLOAT_8_E5M2_FNUZ, 1,
     "f8E5M2FNUZ"},
    {PJRT_Buffer_Type_F8E4M3FNUZ, IREE_HAL_ELEMENT_TYPE_FLOAT_8_E4M3_FNUZ, 1,
     "f8E4M3FNUZ"},
    {PJRT_Buffer_Type_F8E8M0FNU, IREE_HAL_ELEMENT_TYPE_FLOAT_8_E8M0_FNU, 1,
     "f8E8M0FNU"},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, IREE_HAL_ELEMENT_TYPE_OPAQUE_8, 1,
     "f8E4M3B11FNUZ"},
    {PJRT_Buffer_Type_F8E4M3, IREE_HAL_ELEMENT_TYPE_OPAQUE_8, 1, "f8E4M3"},
    {PJRT_Buffer_Type_F8E3M4, IREE_HAL_ELEMENT_TYPE_OPAQUE_8, 1, "f8E3M4"},
    {PJRT_Buffer_Type_F4E2M1FN, IREE_HAL_ELEMENT_TYPE_OPAQUE_8, 1, "f4E2M1FN"},
    {PJRT_Buffer_Type_S2, IREE_HAL_ELEMENT_TYPE_INT_8, 1, "i2"},
    {PJRT_Buffer_Type_U2, IREE_HAL_ELEMENT_TYPE_INT_8, 1, "ui2"},
    {kS1, IREE_HAL_ELEMENT_TYPE_OPAQUE_8, 1, ""},
    {kU1, IREE_HAL_ELEMENT_TYPE_OPAQUE_8, 1, ""},
    {PJRT_Buffer_Type_S4, IREE_HAL_ELEMENT_TYPE_INT_8, 1, "i4"},
    {PJRT_Buffer_Type_U4, IREE_HAL_ELEMENT_TYPE_INT_8, 1, "ui4"},
};

}  // namespace

const ElementType& ElementTypeOf(PJRT_Buffer_Type type) {
  for (const ElementType& candidate : kTypes) {
    if (candidate.pjrt == type) return candidate;
  }
  ThrowUnimplemented("element type " + std::to_string(static_cast<int>(type)) +
                     " (PJRT_Buffer_Type) is not supported");
}

const ElementType* FindElementTypeByMlirName(std::string_view name) {
  for (const ElementType& candidate : kTypes) {
    if (candidate.mlir.empty()) continue;
    if (candidate.mlir == name) return &candidate;
  }
  return nullptr;
}

}  // namespace iree_pjrt
