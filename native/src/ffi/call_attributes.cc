// SPDX-License-Identifier: Apache-2.0
#include "ffi/call_attributes.h"

#include <string>

#include "base/status.h"

namespace iree_pjrt {
namespace {

const void* Find(const XLA_FFI_Attrs& attrs, std::string_view name,
                 XLA_FFI_AttrType kind) {
  for (int64_t i = 0; i < attrs.size; ++i) {
    if (std::string_view(attrs.names[i]->ptr, attrs.names[i]->len) == name &&
        attrs.types[i] == kind) {
      return attrs.attrs[i];
    }
  }
  ThrowInvalidArgument("a call without the attribute " + std::string(name));
}

void CheckIsS32(XLA_FFI_DataType type, std::string_view name) {
  if (type == XLA_FFI_DataType_S32) return;
  ThrowInvalidArgument("the attribute " + std::string(name) +
                       " of a call is not of s32");
}

}  // namespace

int32_t ScalarAttribute(const XLA_FFI_Attrs& attrs, std::string_view name) {
  const auto& scalar = *static_cast<const XLA_FFI_Scalar*>(
      Find(attrs, name, XLA_FFI_AttrType_SCALAR));
  CheckIsS32(scalar.dtype, name);
  return *static_cast<const int32_t*>(scalar.value);
}

std::span<const int32_t> ArrayAttribute(const XLA_FFI_Attrs& attrs,
                                        std::string_view name) {
  const auto& array = *static_cast<const XLA_FFI_Array*>(
      Find(attrs, name, XLA_FFI_AttrType_ARRAY));
  CheckIsS32(array.dtype, name);
  return {static_cast<const int32_t*>(array.data), array.size};
}

}  // namespace iree_pjrt
