// SPDX-License-Identifier: Apache-2.0
#include "compile/signature.h"

#include <charconv>
#include <string>

#include "base/row_major.h"
#include "base/status.h"
#include "mlir/tensor_type.h"
#include "runtime/memory_kinds.h"

namespace iree_pjrt {
namespace {

// Splits a printed `arg_attrs` into its dictionaries, one for each argument.
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

// The attributes of each argument or result, printed; empty where none has any.
std::vector<std::string> ReadAttributes(const Ir& ir, MlirOperation main,
                                        std::string_view list, size_t count) {
  const std::string printed = ir.Print(ir.Attribute(main, list));
  const auto dictionaries = SplitDictionaries(printed);
  std::vector<std::string> attributes(count);
  if (dictionaries.size() == count) {
    attributes.assign(dictionaries.begin(), dictionaries.end());
  }
  return attributes;
}

// The text of a string attribute in a printed dictionary: what is in the first
// quotes after its name's `=`. Empty if there is none.
std::string_view StringIn(std::string_view dictionary, std::string_view name) {
  const size_t equals = dictionary.find('=', dictionary.find(name));
  const size_t begin = dictionary.find('"', equals);
  const size_t end = dictionary.find('"', begin + 1);
  if (dictionary.find(name) == std::string_view::npos ||
      end == std::string_view::npos) {
    return {};
  }
  return dictionary.substr(begin + 1, end - begin - 1);
}

size_t MemoryOf(std::string_view kind, size_t output) {
  if (kind.empty()) return 0;
  const auto known = MemoryDescriptions();
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].kind == kind) return i;
  }
  ThrowUnimplemented("output " + std::to_string(output) +
                     " is to lie in memory of kind '" + std::string(kind) +
                     "', which this platform does not have");
}

void ReadArgumentAttributes(const Ir& ir, MlirOperation main,
                            Signature& signature) {
  const auto attributes =
      ReadAttributes(ir, main, "arg_attrs", signature.inputs.size());
  for (size_t i = 0; i < attributes.size(); ++i) {
    const std::string& printed = attributes[i];
    CheckLayout(StringIn(printed, "mhlo.layout_mode"),
                signature.inputs[i].dims.size(),
                "argument " + std::to_string(i));
    signature.donatable.push_back(
        printed.find("tf.aliasing_output") != std::string::npos ||
        printed.find("jax.buffer_donor") != std::string::npos);
  }
}

void ReadResultAttributes(const Ir& ir, MlirOperation main,
                          Signature& signature) {
  const auto attributes =
      ReadAttributes(ir, main, "res_attrs", signature.outputs.size());
  for (size_t i = 0; i < attributes.size(); ++i) {
    CheckLayout(StringIn(attributes[i], "mhlo.layout_mode"),
                signature.outputs[i].dims.size(),
                "output " + std::to_string(i));
    signature.output_memories.push_back(
        MemoryOf(StringIn(attributes[i], "mhlo.memory_kind"), i));
  }
}

// The numbers of a string attribute of the module, blanks between them.
std::vector<size_t> ReadIndices(const Ir& ir, std::string_view name) {
  const std::string text = ir.StringAttribute(ir.module, name);
  std::vector<size_t> indices;
  const char* end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    size_t index = 0;
    const auto parsed = std::from_chars(at, end, index);
    if (parsed.ec != std::errc() || (parsed.ptr != end && *parsed.ptr != ' ')) {
      ThrowInternal("the partitioned program's " + std::string(name) +
                    " is no list of numbers: '" + text + "'");
    }
    indices.push_back(index);
    at = parsed.ptr == end ? end : parsed.ptr + 1;
  }
  return indices;
}

}  // namespace

Signature ReadSignature(const Ir& ir) {
  const MlirOperation main = ir.Function("main");
  if (!main.ptr) ThrowInvalidArgument("the program has no function 'main'");
  const MlirBlock body = ir.Body(main);
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
  ReadArgumentAttributes(ir, main, signature);
  ReadResultAttributes(ir, main, signature);
  signature.argument_inputs = ReadIndices(ir, "iree_pjrt.arguments");
  signature.result_outputs = ReadIndices(ir, "iree_pjrt.results");
  return signature;
}

}  // namespace iree_pjrt
