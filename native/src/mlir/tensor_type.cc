// SPDX-License-Identifier: Apache-2.0
#include "mlir/tensor_type.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "base/element_type.h"
#include "base/status.h"

namespace iree_pjrt {
namespace {

constexpr std::string_view kVhlo = "!vhlo.";

[[noreturn]] void Unsupported(std::string_view text) {
  ThrowUnimplemented("a program input or output of type " + std::string(text));
}

// f32 of `f32`, `!vhlo.f32_v1`; complex types keep their brackets.
std::string_view ElementName(std::string_view name) {
  if (!name.starts_with(kVhlo)) return name;
  name.remove_prefix(kVhlo.size());
  const size_t version = name.rfind("_v");
  if (version != std::string_view::npos) name = name.substr(0, version);
  return name;
}

}  // namespace

Shape ParseTensorType(std::string_view text) {
  const size_t begin = text.find('<');
  if (text.find("tensor") == std::string_view::npos ||
      begin == std::string_view::npos || !text.ends_with('>')) {
    Unsupported(text);
  }
  std::string_view inner = text.substr(begin + 1);
  inner.remove_suffix(1);
  std::vector<int64_t> dims;
  while (!inner.empty() && inner[0] >= '0' && inner[0] <= '9') {
    int64_t dim = 0;
    const auto parsed =
        std::from_chars(inner.data(), inner.data() + inner.size(), dim);
    const size_t used = static_cast<size_t>(parsed.ptr - inner.data());
    if (parsed.ec != std::errc() || used >= inner.size() ||
        inner[used] != 'x') {
      Unsupported(text);
    }
    dims.push_back(dim);
    inner.remove_prefix(used + 1);
  }
  const ElementType* type = FindElementTypeByMlirName(ElementName(inner));
  if (!type) Unsupported(text);
  return MakeShape(type->pjrt, dims.data(), dims.size());
}

}  // namespace iree_pjrt
