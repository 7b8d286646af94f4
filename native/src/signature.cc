// SPDX-License-Identifier: Apache-2.0
#include "signature.h"

#include <charconv>
#include <string>

#include "rewrite/rewrites.h"
#include "status.h"

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

// The dictionaries of `arg_attrs`, printed, one for each argument.
std::vector<std::string_view> SplitDictionaries(std::string_view printed) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i < printed.size(); ++i) {
    const char c = printed[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' && depth++ == 0) {
      begin = i;
    } else if (c == '}' && --depth == 0) {
      parts.push_back(printed.substr(begin, i - begin + 1));
    }
  }
  return parts;
}

std::vector<bool> ReadDonatable(const Ir& ir, MlirOperation main,
                                size_t count) {
  std::vector<bool> donatable(count, false);
  const std::string printed = ir.Print(ir.Attribute(main, "arg_attrs"));
  const auto dictionaries = SplitDictionaries(printed);
  if (dictionaries.size() != count) return donatable;
  for (size_t i = 0; i < count; ++i) {
    donatable[i] =
        dictionaries[i].find("tf.aliasing_output") != std::string_view::npos ||
        dictionaries[i].find("jax.buffer_donor") != std::string_view::npos;
  }
  return donatable;
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

Signature ReadSignature(const Ir& ir) {
  const MlirOperation main = ir.Function("main");
  if (!main.ptr) ThrowInvalidArgument("the program has no function 'main'");
  const MlirBlock body =
      ir.api.mlirRegionGetFirstBlock(ir.api.mlirOperationGetFirstRegion(main));
  if (!body.ptr) ThrowInvalidArgument("the function 'main' has no body");
  Signature signature;
  for (intptr_t i = 0; i < ir.api.mlirBlockGetNumArguments(body); ++i) {
    signature.inputs.push_back(ParseTensorType(ir.Print(
        ir.api.mlirValueGetType(ir.api.mlirBlockGetArgument(body, i)))));
  }
  for (MlirValue value : ir.Operands(ir.Terminator(body))) {
    signature.outputs.push_back(
        ParseTensorType(ir.Print(ir.api.mlirValueGetType(value))));
  }
  signature.donatable = ReadDonatable(ir, main, signature.inputs.size());
  return signature;
}

}  // namespace iree_pjrt
