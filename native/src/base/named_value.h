// SPDX-License-Identifier: Apache-2.0
// The options that a framework gives a client. Stateless.
#ifndef IREE_PJRT_BASE_NAMED_VALUE_H_
#define IREE_PJRT_BASE_NAMED_VALUE_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/status.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt {

// Throws INVALID_ARGUMENT for a value of another type.
inline std::string StringValue(const std::string& name,
                               const PJRT_NamedValue& value) {
  if (value.type != PJRT_NamedValue_kString) {
    ThrowInvalidArgument("client option '" + name + "' must be a string");
  }
  return std::string(value.string_value, value.value_size);
}

inline int64_t IntValue(const std::string& name, const PJRT_NamedValue& value) {
  if (value.type != PJRT_NamedValue_kInt64) {
    ThrowInvalidArgument("client option '" + name + "' must be an integer");
  }
  return value.int64_value;
}

inline bool BoolValue(const std::string& name, const PJRT_NamedValue& value) {
  if (value.type != PJRT_NamedValue_kBool) {
    ThrowInvalidArgument("client option '" + name + "' must be true or false");
  }
  return value.bool_value;
}

// The bound that no number exceeds.
inline constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// The whole number that is all of the text. Throws INVALID_ARGUMENT that names
// the option or variable for any other text, and for a number out of bounds.
int64_t ParseNumber(const std::string& name, std::string_view text,
                    int64_t least, int64_t most = kNoLimit);

// The number of an option. It may be text: JAX hands over as text what its user
// wrote in one string.
int64_t NumberValue(const std::string& name, const PJRT_NamedValue& value,
                    int64_t least, int64_t most = kNoLimit);

// A number of bytes, with K, M or G behind it for more. Throws INVALID_ARGUMENT
// that names the variable of the environment.
uint64_t ParseByteCount(const std::string& variable, std::string_view text);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_NAMED_VALUE_H_
