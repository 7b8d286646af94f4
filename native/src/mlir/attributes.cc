// SPDX-License-Identifier: Apache-2.0
#include "mlir/attributes.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "base/element_type.h"
#include "base/status.h"
#include "mlir/stablehlo_names.h"

namespace iree_pjrt {
namespace {

constexpr std::string_view kVhloAttribute = "#vhlo.";
constexpr std::string_view kVhloType = "!vhlo.";

// Where the name that begins at `begin` ends: `tensor_v1` of `tensor_v1<...`.
size_t EndOfName(std::string_view text, size_t begin) {
  while (begin < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[begin])) ||
          text[begin] == '_')) {
    ++begin;
  }
  return begin;
}

// Where the string that begins with the quote at `begin` ends.
size_t EndOfString(std::string_view text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

// f32 of `f32_v1`, i1 of `bool_v1`.
std::string_view TypeName(std::string_view name) {
  const size_t version = name.rfind("_v");
  if (version != std::string_view::npos) name = name.substr(0, version);
  return name == "bool" ? "i1" : name;
}

std::string_view View(MlirStringRef text) { return {text.data, text.length}; }

ForeignAttribute ReadDense(const Ir& ir, MlirAttribute dense) {
  const MlirType type =
      ir.api.mlirShapedTypeGetElementType(ir.api.mlirAttributeGetType(dense));
  const std::string name = ir.Print(type);
  const ElementType* element = FindElementTypeByMlirName(name);
  if (!element) {
    ThrowUnimplemented("an attribute of a custom call with elements of type " +
                       name);
  }
  ForeignAttribute attribute;
  attribute.kind = XLA_FFI_AttrType_ARRAY;
  attribute.type = FfiTypeOf(*element);
  attribute.size = ir.api.mlirElementsAttrGetNumElements(dense);
  if (element->pjrt == PJRT_Buffer_Type_PRED) {  // kept as bits
    for (intptr_t i = 0; i < attribute.size; ++i) {
      attribute.bytes +=
          static_cast<char>(ir.api.mlirDenseElementsAttrGetBoolValue(dense, i));
    }
    return attribute;
  }
  const auto* data =
      static_cast<const char*>(ir.api.mlirDenseElementsAttrGetRawData(dense));
  const bool splat = ir.api.mlirDenseElementsAttrIsSplat(dense);
  for (int64_t i = 0; i < attribute.size; ++i) {
    attribute.bytes.append(data + (splat ? 0 : i * element->byte_size),
                           element->byte_size);
  }
  return attribute;
}

// `3 : i32`, `1.5 : f32`, `true`: read as a dense of one element.
ForeignAttribute ReadScalar(const Ir& ir, MlirAttribute scalar) {
  const std::string printed = ir.Print(scalar);
  const std::string value = printed.substr(0, printed.find(" : "));
  const std::string type = ir.Print(ir.api.mlirAttributeGetType(scalar));
  if (!FindElementTypeByMlirName(type)) {
    ThrowUnimplemented("the attribute " + printed + " of a custom call");
  }
  ForeignAttribute attribute =
      ReadDense(ir, ir.Parse("dense<" + value + "> : tensor<" + type + ">"));
  attribute.kind = XLA_FFI_AttrType_SCALAR;
  return attribute;
}

// The type `i32` or `ui8`, say; throws for one that is no whole number of
// bytes.
size_t BitsOf(std::string_view element) {
  const std::string_view digits = element.substr(
      std::min(element.find_first_of("0123456789"), element.size()));
  size_t bits = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (bits == 0 || bits % 8 != 0 || bits > 64 ||
      element.find('i') > element.find_first_of("0123456789")) {
    ThrowInvalidArgument("expected integers, not " + std::string(element));
  }
  return bits;
}

// The integer that little-endian bytes hold.
int64_t IntegerAt(const char* bytes, size_t size, bool is_signed) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
  value <<= unused;
  return is_signed ? static_cast<int64_t>(value) >> unused
                   : static_cast<int64_t>(value >> unused);
}

ForeignAttribute ReadDictionary(const Ir& ir, MlirAttribute dictionary) {
  ForeignAttribute attribute;
  const intptr_t count = ir.api.mlirDictionaryAttrGetNumElements(dictionary);
  for (intptr_t i = 0; i < count; ++i) {
    const MlirNamedAttribute entry =
        ir.api.mlirDictionaryAttrGetElement(dictionary, i);
    attribute.entries.emplace(View(ir.api.mlirIdentifierStr(entry.name)),
                              ReadForeignAttribute(ir, entry.attribute));
  }
  return attribute;
}

}  // namespace

std::string WithoutVhlo(std::string_view printed) {
  std::string text;
  // Whether each open '<' belongs to a wrapper.
  std::vector<bool> wrappers;
  for (size_t i = 0; i < printed.size();) {
    const std::string_view rest = printed.substr(i);
    if (printed[i] == '"') {
      const size_t end = EndOfString(printed, i);
      text += printed.substr(i, end - i);
      i = end;
    } else if (rest.starts_with(kVhloAttribute)) {
      i = EndOfName(printed, i + kVhloAttribute.size());
      if (i < printed.size() && printed[i] == '<') {
        wrappers.push_back(true);
        ++i;
      }
    } else if (rest.starts_with(kVhloType)) {
      const size_t begin = i + kVhloType.size();
      i = EndOfName(printed, begin);
      text += TypeName(printed.substr(begin, i - begin));
    } else {
      bool keep = true;
      if (printed[i] == '<') wrappers.push_back(false);
      if (printed[i] == '>' && !wrappers.empty()) {
        keep = !wrappers.back();
        wrappers.pop_back();
      }
      if (keep) text += printed[i];
      ++i;
    }
  }
  return text;
}

MlirAttribute BuiltinAttribute(const Ir& ir, MlirOperation op,
                               std::string_view name) {
  const MlirAttribute attribute = ir.Attribute(op, name);
  if (!attribute.ptr) return attribute;
  const std::string printed = ir.Print(attribute);
  const std::string builtin = WithoutVhlo(printed);
  return builtin == printed ? attribute : ir.Parse(builtin);
}

ForeignAttribute ReadForeignAttribute(const Ir& ir, MlirAttribute attribute) {
  if (ir.api.mlirAttributeIsADictionary(attribute)) {
    return ReadDictionary(ir, attribute);
  }
  if (ir.api.mlirAttributeIsADenseElements(attribute)) {
    return ReadDense(ir, attribute);
  }
  if (!ir.api.mlirAttributeIsAString(attribute)) {
    return ReadScalar(ir, attribute);
  }
  ForeignAttribute text;
  text.kind = XLA_FFI_AttrType_STRING;
  text.bytes = View(ir.api.mlirStringAttrGetValue(attribute));
  return text;
}

int64_t ReadInteger(const Ir& ir, MlirAttribute attribute) {
  const std::string text = ir.Print(attribute);
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) {
    ThrowInvalidArgument("expected an integer, not " + text);
  }
  return number;
}

std::string ReadWord(const Ir& ir, MlirAttribute attribute) {
  if (!attribute.ptr) return "";
  const std::string text = ir.Print(attribute);
  const size_t begin = text.rfind(' ') + 1;
  return text.substr(begin, text.rfind('>') - begin);
}

std::string ReadString(const Ir& ir, MlirAttribute attribute) {
  if (!attribute.ptr) return "";
  if (!ir.api.mlirAttributeIsAString(attribute)) {
    ThrowInvalidArgument("expected a string, not " + ir.Print(attribute));
  }
  return std::string(View(ir.api.mlirStringAttrGetValue(attribute)));
}

MlirAttribute EntryOf(const Ir& ir, MlirAttribute dictionary,
                      std::string_view name) {
  return ir.api.mlirDictionaryAttrGetElementByName(dictionary,
                                                   {name.data(), name.size()});
}

std::vector<int64_t> ReadIntegers(const Ir& ir, MlirAttribute attribute) {
  std::vector<int64_t> numbers;
  const std::string text = ir.Print(attribute);
  if (text.starts_with("array<i")) {
    // `array<i64: 1, 2>`; `array<i64>` holds none.
    const size_t colon = text.find(": ");
    if (colon == std::string::npos) return numbers;
    const std::string list = text.substr(colon + 2, text.size() - colon - 3);
    const auto count = 1 + std::count(list.begin(), list.end(), ',');
    attribute = ir.Parse("dense<[" + list + "]> : tensor<" +
                         std::to_string(count) + "xi64>");
  }
  if (!ir.api.mlirAttributeIsADenseElements(attribute)) {
    ThrowInvalidArgument("expected a list of integers, not " +
                         ir.Print(attribute));
  }
  const auto* data = static_cast<const char*>(
      ir.api.mlirDenseElementsAttrGetRawData(attribute));
  const std::string element = ir.Print(ir.api.mlirShapedTypeGetElementType(
      ir.api.mlirAttributeGetType(attribute)));
  const size_t size = element == "index" ? 8 : BitsOf(element) / 8;
  const bool splat = ir.api.mlirDenseElementsAttrIsSplat(attribute);
  const int64_t count = ir.api.mlirElementsAttrGetNumElements(attribute);
  for (int64_t i = 0; i < count; ++i) {
    const char* const at = data + (splat ? 0 : static_cast<size_t>(i) * size);
    numbers.push_back(IntegerAt(at, size, !element.starts_with('u')));
  }
  return numbers;
}

bool IsSplat(const Ir& ir, MlirAttribute attribute) {
  return attribute.ptr && ir.api.mlirAttributeIsADenseElements(attribute) &&
         ir.api.mlirDenseElementsAttrIsSplat(attribute);
}

std::optional<uint64_t> ConstantBits(const Ir& ir, MlirValue value,
                                     size_t bytes) {
  const MlirOperation made = ir.Definition(value);
  if (!made.ptr || StablehloName(ir.Name(made)) != "constant") return {};
  const MlirAttribute number = BuiltinAttribute(ir, made, "value");
  if (!IsSplat(ir, number)) return {};
  uint64_t bits = 0;
  std::memcpy(&bits, ir.api.mlirDenseElementsAttrGetRawData(number), bytes);
  return bits;
}

std::string Array64(const std::vector<int64_t>& numbers) {
  std::string text = "array<i64";
  for (size_t i = 0; i < numbers.size(); ++i) {
    text += (i ? ", " : ": ") + std::to_string(numbers[i]);
  }
  return text + ">";
}

}  // namespace iree_pjrt
