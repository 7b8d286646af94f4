// SPDX-License-Identifier: Apache-2.0
// A custom call of a program that a handler on the host answers: everything
// that is known when the program is compiled. A value, immutable in use, and
// part of the serialized program; it holds a name, never an address.
#ifndef IREE_PJRT_FFI_FOREIGN_CALL_H_
#define IREE_PJRT_FFI_FOREIGN_CALL_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/shape.h"
#include "ffi/abi.h"

namespace iree_pjrt {

// An attribute of the call site. A dictionary is sorted by name: handlers look
// names up by binary search.
struct ForeignAttribute {
  using Dictionary = std::map<std::string, ForeignAttribute>;

  XLA_FFI_AttrType kind = XLA_FFI_AttrType_DICTIONARY;
  // The type of a scalar, or of an array's elements.
  XLA_FFI_DataType type = XLA_FFI_DataType_INVALID;
  // The text of a string; the elements of a scalar or an array.
  std::string bytes;
  // The number of an array's elements.
  int64_t size = 0;
  Dictionary entries;

  static ForeignAttribute OfInt32(int32_t value);  // a scalar
};

// A tensor that crosses the border: `shape` is what the program and the handler
// speak of; in memory the dimensions lie in the order `major_to_minor`.
struct ForeignTensor {
  Shape shape;
  std::vector<int64_t> major_to_minor;

  bool is_row_major() const;
  // The dimensions as they lie in memory.
  std::vector<int64_t> PhysicalDims() const;
};

struct ForeignCall {
  std::string target;
  std::vector<ForeignTensor> operands;
  std::vector<ForeignTensor> results;
  // For each result the operand whose memory it starts from, or -1.
  std::vector<int64_t> aliases;
  ForeignAttribute::Dictionary attributes;
};

// The custom call that the Python package makes of a callback; its attribute
// names a function that only the process which compiles the program has.
inline constexpr std::string_view kPythonCallbackTarget =
    "iree_pjrt_python_callback";
// Whether a program with these calls is of use to another process.
bool Portable(const std::vector<ForeignCall>& calls);

// Name of the VM module that the program imports its foreign calls from, and of
// the function that stands for call `index` in it.
inline constexpr std::string_view kForeignModule = "xla_ffi";
std::string ForeignFunctionName(size_t index);

XLA_FFI_DataType FfiTypeOf(const ElementType& type);
// The bytes of one element; 0 for a type without elements.
size_t ByteSizeOf(XLA_FFI_DataType type);

std::string SerializeForeignCall(const ForeignCall& call);
// Throws INVALID_ARGUMENT for damaged bytes.
ForeignCall ParseForeignCall(std::string_view bytes);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_FOREIGN_CALL_H_
