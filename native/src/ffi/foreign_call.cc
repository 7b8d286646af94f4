// SPDX-License-Identifier: Apache-2.0
#include "ffi/foreign_call.h"

#include <algorithm>
#include <cstdio>

#include "base/wire.h"

namespace iree_pjrt {
namespace {

namespace field {
// Fields of a call.
constexpr uint64_t kTarget = 1;
constexpr uint64_t kOperand = 2;
constexpr uint64_t kResult = 3;
constexpr uint64_t kAlias = 4;
constexpr uint64_t kEntry = 5;  // also of an attribute
// Fields of a tensor.
constexpr uint64_t kType = 1;
constexpr uint64_t kDim = 2;
constexpr uint64_t kOrder = 3;
// Fields of an attribute.
constexpr uint64_t kKind = 1;
constexpr uint64_t kElement = 2;
constexpr uint64_t kBytes = 3;
constexpr uint64_t kSize = 4;
// Fields of an entry.
constexpr uint64_t kName = 1;
constexpr uint64_t kValue = 2;
}  // namespace field

std::string SerializeTensor(const ForeignTensor& tensor) {
  WireWriter writer;
  writer.Number(field::kType, tensor.shape.type->pjrt);
  for (int64_t dim : tensor.shape.dims) writer.Number(field::kDim, dim);
  for (int64_t dim : tensor.major_to_minor) writer.Number(field::kOrder, dim);
  return writer.Take();
}

bool HasAnOrder(const ForeignTensor& tensor) {
  std::vector<int64_t> order = tensor.major_to_minor;
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int64_t>(i)) return false;
  }
  return order.size() == tensor.shape.dims.size();
}

ForeignTensor ParseTensor(std::string_view bytes) {
  ForeignTensor tensor;
  int64_t type = PJRT_Buffer_Type_INVALID;
  std::vector<int64_t> dims;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == field::kType) type = r.number();
    if (r.field() == field::kDim) dims.push_back(r.number());
    if (r.field() == field::kOrder) {
      tensor.major_to_minor.push_back(r.number());
    }
  }
  tensor.shape =
      MakeShape(static_cast<PJRT_Buffer_Type>(type), dims.data(), dims.size());
  if (!HasAnOrder(tensor)) {
    ThrowInvalidArgument("a foreign call with a damaged layout");
  }
  return tensor;
}

std::string SerializeAttribute(const ForeignAttribute& attribute);

void SerializeEntries(const ForeignAttribute::Dictionary& entries,
                      WireWriter& writer) {
  for (const auto& [name, value] : entries) {
    WireWriter entry;
    entry.Bytes(field::kName, name);
    entry.Bytes(field::kValue, SerializeAttribute(value));
    writer.Bytes(field::kEntry, entry.Take());
  }
}

std::string SerializeAttribute(const ForeignAttribute& attribute) {
  WireWriter writer;
  writer.Number(field::kKind, attribute.kind);
  writer.Number(field::kElement, attribute.type);
  writer.Bytes(field::kBytes, attribute.bytes);
  writer.Number(field::kSize, attribute.size);
  SerializeEntries(attribute.entries, writer);
  return writer.Take();
}

// No program nests dictionaries as deeply, and each level takes some of the
// stack.
constexpr int kMaxDepth = 100;

ForeignAttribute ParseAttribute(std::string_view bytes, int depth);

void ParseEntry(std::string_view bytes, ForeignAttribute::Dictionary& entries,
                int depth) {
  if (depth > kMaxDepth) {
    ThrowInvalidArgument("a foreign call with attributes nested too deep");
  }
  std::string name;
  ForeignAttribute value;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == field::kName) name = r.bytes();
    if (r.field() == field::kValue) value = ParseAttribute(r.bytes(), depth);
  }
  entries[std::move(name)] = std::move(value);
}

ForeignAttribute ParseAttribute(std::string_view bytes, int depth) {
  ForeignAttribute attribute;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == field::kKind) {
      attribute.kind = static_cast<XLA_FFI_AttrType>(r.number());
    } else if (r.field() == field::kElement) {
      attribute.type = static_cast<XLA_FFI_DataType>(r.number());
    } else if (r.field() == field::kBytes) {
      attribute.bytes = r.bytes();
    } else if (r.field() == field::kSize) {
      attribute.size = r.number();
    } else if (r.field() == field::kEntry) {
      ParseEntry(r.bytes(), attribute.entries, depth + 1);
    }
  }
  return attribute;
}

struct TypePair {
  PJRT_Buffer_Type pjrt;
  XLA_FFI_DataType ffi;
};
constexpr TypePair kTypes[] = {
    {PJRT_Buffer_Type_PRED, XLA_FFI_DataType_PRED},
    {PJRT_Buffer_Type_S8, XLA_FFI_DataType_S8},
    {PJRT_Buffer_Type_S16, XLA_FFI_DataType_S16},
    {PJRT_Buffer_Type_S32, XLA_FFI_DataType_S32},
    {PJRT_Buffer_Type_S64, XLA_FFI_DataType_S64},
    {PJRT_Buffer_Type_U8, XLA_FFI_DataType_U8},
    {PJRT_Buffer_Type_U16, XLA_FFI_DataType_U16},
    {PJRT_Buffer_Type_U32, XLA_FFI_DataType_U32},
    {PJRT_Buffer_Type_U64, XLA_FFI_DataType_U64},
    {PJRT_Buffer_Type_F16, XLA_FFI_DataType_F16},
    {PJRT_Buffer_Type_F32, XLA_FFI_DataType_F32},
    {PJRT_Buffer_Type_F64, XLA_FFI_DataType_F64},
    {PJRT_Buffer_Type_BF16, XLA_FFI_DataType_BF16},
    {PJRT_Buffer_Type_C64, XLA_FFI_DataType_C64},
    {PJRT_Buffer_Type_C128, XLA_FFI_DataType_C128},
    {PJRT_Buffer_Type_F8E5M2, XLA_FFI_DataType_F8E5M2},
    {PJRT_Buffer_Type_F8E4M3FN, XLA_FFI_DataType_F8E4M3FN},
    {PJRT_Buffer_Type_F8E5M2FNUZ, XLA_FFI_DataType_F8E5M2FNUZ},
    {PJRT_Buffer_Type_F8E4M3FNUZ, XLA_FFI_DataType_F8E4M3FNUZ},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, XLA_FFI_DataType_F8E4M3B11FNUZ},
    {PJRT_Buffer_Type_F8E4M3, XLA_FFI_DataType_F8E4M3},
    {PJRT_Buffer_Type_F8E3M4, XLA_FFI_DataType_F8E3M4},
    {PJRT_Buffer_Type_F8E8M0FNU, XLA_FFI_DataType_F8E8M0FNU},
};

// Handlers read as many bytes as the kind and the type promise: these must be
// there.
bool AreWhole(const ForeignAttribute::Dictionary& entries);

bool IsWhole(const ForeignAttribute& attribute) {
  const size_t size = ByteSizeOf(attribute.type);
  switch (attribute.kind) {
    case XLA_FFI_AttrType_SCALAR:
      return size != 0 && attribute.bytes.size() == size;
    case XLA_FFI_AttrType_ARRAY:
      return size != 0 && attribute.bytes.size() % size == 0 &&
             attribute.size ==
                 static_cast<int64_t>(attribute.bytes.size() / size);
    case XLA_FFI_AttrType_STRING:
      return true;
    case XLA_FFI_AttrType_DICTIONARY:
      return AreWhole(attribute.entries);
  }
  return false;
}

bool AreWhole(const ForeignAttribute::Dictionary& entries) {
  return std::all_of(entries.begin(), entries.end(),
                     [](const auto& entry) { return IsWhole(entry.second); });
}

// The memory of a result starts as a copy of its operand's.
bool AliasesFit(const ForeignCall& call) {
  if (call.aliases.size() != call.results.size()) return false;
  for (size_t i = 0; i < call.aliases.size(); ++i) {
    const int64_t alias = call.aliases[i];
    if (alias == -1) continue;
    if (alias < 0 || alias >= static_cast<int64_t>(call.operands.size()) ||
        call.operands[static_cast<size_t>(alias)].shape.byte_size() !=
            call.results[i].shape.byte_size()) {
      return false;
    }
  }
  return true;
}

}  // namespace

ForeignAttribute ForeignAttribute::OfInt32(int32_t value) {
  ForeignAttribute attribute;
  attribute.kind = XLA_FFI_AttrType_SCALAR;
  attribute.type = XLA_FFI_DataType_S32;
  attribute.bytes.assign(reinterpret_cast<const char*>(&value), sizeof(value));
  attribute.size = 1;
  return attribute;
}

bool ForeignTensor::is_row_major() const {
  for (size_t i = 0; i < major_to_minor.size(); ++i) {
    if (major_to_minor[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

std::vector<int64_t> ForeignTensor::PhysicalDims() const {
  std::vector<int64_t> dims;
  for (int64_t dim : major_to_minor) {
    dims.push_back(shape.dims.at(static_cast<size_t>(dim)));
  }
  return dims;
}

bool Portable(const std::vector<ForeignCall>& calls) {
  return std::none_of(calls.begin(), calls.end(), [](const ForeignCall& call) {
    return call.target == kPythonCallbackTarget;
  });
}

std::string ForeignFunctionName(size_t index) {
  // The VM looks functions up by binary search: names sort as numbers do.
  char name[32];
  std::snprintf(name, sizeof(name), "call_%08zu", index);
  return name;
}

XLA_FFI_DataType FfiTypeOf(const ElementType& type) {
  for (const TypePair& pair : kTypes) {
    if (pair.pjrt == type.pjrt) return pair.ffi;
  }
  ThrowUnimplemented("custom calls with values of type " +
                     std::string(type.mlir));
}

size_t ByteSizeOf(XLA_FFI_DataType type) {
  for (const TypePair& pair : kTypes) {
    if (pair.ffi == type) return ElementTypeOf(pair.pjrt).byte_size;
  }
  return 0;
}

std::string SerializeForeignCall(const ForeignCall& call) {
  WireWriter writer;
  writer.Bytes(field::kTarget, call.target);
  for (const ForeignTensor& operand : call.operands) {
    writer.Bytes(field::kOperand, SerializeTensor(operand));
  }
  for (const ForeignTensor& result : call.results) {
    writer.Bytes(field::kResult, SerializeTensor(result));
  }
  for (int64_t alias : call.aliases) writer.Number(field::kAlias, alias);
  SerializeEntries(call.attributes, writer);
  return writer.Take();
}

ForeignCall ParseForeignCall(std::string_view bytes) {
  ForeignCall call;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == field::kTarget) {
      call.target = r.bytes();
    } else if (r.field() == field::kOperand) {
      call.operands.push_back(ParseTensor(r.bytes()));
    } else if (r.field() == field::kResult) {
      call.results.push_back(ParseTensor(r.bytes()));
    } else if (r.field() == field::kAlias) {
      call.aliases.push_back(r.number());
    } else if (r.field() == field::kEntry) {
      ParseEntry(r.bytes(), call.attributes, /*depth=*/0);
    }
  }
  if (!AliasesFit(call)) {
    ThrowInvalidArgument("a foreign call with damaged aliases");
  }
  if (!AreWhole(call.attributes)) {
    ThrowInvalidArgument("a foreign call with damaged attributes");
  }
  return call;
}

}  // namespace iree_pjrt
