// SPDX-License-Identifier: Apache-2.0
#include "mlir/array_type.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <numeric>

#include "base/element_type.h"
#include "base/status.h"
#include "mlir/attributes.h"

namespace iree_pjrt {

std::string ArrayType::Element() const {
  const std::string element = WithoutVhlo(after);
  return element.substr(0, element.rfind('>'));
}

std::string ArrayType::Reshaped(const std::vector<int64_t>& to) const {
  std::string text = before;
  for (const int64_t size : to) text += std::to_string(size) + "x";
  return text + after;
}

int64_t ElementCount(std::span<const int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1},
                         std::multiplies<>());
}

bool NextIndex(std::vector<int64_t>& index, std::span<const int64_t> shape) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i]) return true;
    index[i] = 0;
  }
  return false;
}

bool HasNoElements(const std::vector<int64_t>& shape) {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

std::optional<ArrayType> ArrayTypeOf(const Ir& ir, MlirValue value) {
  return ArrayTypeOf(ir, ir.api.mlirValueGetType(value));
}

std::optional<ArrayType> ArrayTypeOf(const Ir& ir, MlirType type) {
  const std::string text = ir.Print(type);
  size_t at = text.find('<');
  if (at == std::string::npos) return std::nullopt;
  ArrayType array{text.substr(0, ++at), {}, {}};
  int64_t size = 0;
  while (true) {
    const char* const begin = text.data() + at;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(begin, end, size);
    if (error != std::errc() || rest == end || *rest != 'x') break;
    array.shape.push_back(size);
    at += static_cast<size_t>(rest - begin) + 1;
  }
  array.after = text.substr(at);
  if (array.after.starts_with('?')) return std::nullopt;
  return array;
}

Shape ReadShape(const Ir& ir, MlirType type) {
  const auto array = ArrayTypeOf(ir, type);
  const ElementType* const element =
      array && array->before.find("tensor") != std::string::npos
          ? FindElementTypeByMlirName(array->Element())
          : nullptr;
  if (!element) {
    ThrowUnimplemented("a program input or output of type " + ir.Print(type));
  }
  return MakeShape(element->pjrt, array->shape.data(), array->shape.size());
}

bool HasFloats(std::string_view element) {
  return element.find('f') != std::string_view::npos;
}

bool IsFloat(std::string_view element) {
  return HasFloats(element) && ComplexPart(element).empty();
}

std::string ComplexPart(std::string_view element) {
  constexpr std::string_view kComplex = "complex<";
  if (!element.starts_with(kComplex)) return "";
  element.remove_prefix(kComplex.size());
  return std::string(element.substr(0, element.find('>')));
}

}  // namespace iree_pjrt
