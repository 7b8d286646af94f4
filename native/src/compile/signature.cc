// SPDX-License-Identifier: Apache-2.0
#include "compile/signature.h"

#include <charconv>
#include <string>

#include "base/row_major.h"
#include "base/status.h"
#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "runtime/memory_kinds.h"

namespace iree_pjrt {
namespace {

constexpr char kLayoutMode[] = "mhlo.layout_mode";

// The dictionary of each argument or result; empty if the function has none.
std::vector<MlirAttribute> ReadDictionaries(const Ir& ir, MlirOperation main,
                                            std::string_view name,
                                            size_t count) {
  const MlirAttribute list = BuiltinAttribute(ir, main, name);
  std::vector<MlirAttribute> dictionaries;
  // VHLO has an empty list where none has attributes.
  if (!list.ptr || !ir.api.mlirAttributeIsAArray(list) ||
      ir.api.mlirArrayAttrGetNumElements(list) !=
          static_cast<intptr_t>(count)) {
    return dictionaries;
  }
  for (size_t i = 0; i < count; ++i) {
    dictionaries.push_back(
        ir.api.mlirArrayAttrGetElement(list, static_cast<intptr_t>(i)));
    if (!ir.api.mlirAttributeIsADictionary(dictionaries.back())) {
      ThrowInvalidArgument(std::string(name) + " of 'main' is " +
                           ir.Print(list));
    }
  }
  return dictionaries;
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
  const size_t count = signature.inputs.size();
  signature.donatable.assign(count, false);
  const auto attributes = ReadDictionaries(ir, main, "arg_attrs", count);
  for (size_t i = 0; i < attributes.size(); ++i) {
    CheckLayout(ReadString(ir, EntryOf(ir, attributes[i], kLayoutMode)),
                signature.inputs[i].dims.size(),
                "argument " + std::to_string(i));
    signature.donatable[i] =
        EntryOf(ir, attributes[i], "tf.aliasing_output").ptr ||
        EntryOf(ir, attributes[i], "jax.buffer_donor").ptr;
  }
}

void ReadResultAttributes(const Ir& ir, MlirOperation main,
                          Signature& signature) {
  const size_t count = signature.outputs.size();
  signature.output_memories.assign(count, 0);
  const auto attributes = ReadDictionaries(ir, main, "res_attrs", count);
  for (size_t i = 0; i < attributes.size(); ++i) {
    CheckLayout(ReadString(ir, EntryOf(ir, attributes[i], kLayoutMode)),
                signature.outputs[i].dims.size(),
                "output " + std::to_string(i));
    signature.output_memories[i] = MemoryOf(
        ReadString(ir, EntryOf(ir, attributes[i], "mhlo.memory_kind")), i);
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
    signature.inputs.push_back(ReadShape(
        ir, ir.api.mlirValueGetType(ir.api.mlirBlockGetArgument(body, i))));
  }
  for (MlirValue value : ir.Operands(ir.Terminator(body))) {
    signature.outputs.push_back(ReadShape(ir, ir.api.mlirValueGetType(value)));
  }
  ReadArgumentAttributes(ir, main, signature);
  ReadResultAttributes(ir, main, signature);
  signature.argument_inputs = ReadIndices(ir, "iree_pjrt.arguments");
  signature.result_outputs = ReadIndices(ir, "iree_pjrt.results");
  return signature;
}

}  // namespace iree_pjrt
