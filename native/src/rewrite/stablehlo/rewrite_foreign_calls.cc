// SPDX-License-Identifier: Apache-2.0
// A custom call of the typed FFI, or an `fft`, becomes a call of a function
// without a body. IREE makes an import of the VM module out of it
// (ffi/module.h), waits for the operands before the call, keeps calls in order
// and knows nothing else of it.
#include <algorithm>
#include <array>

#include "base/status.h"
#include "ffi/fft.h"
#include "ffi/registry.h"
#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "mlir/output_aliases.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

std::string List(const std::vector<int64_t>& numbers) {
  std::string text;
  for (int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return text;
}

std::string StringText(const std::string& text, bool vhlo) {
  const std::string quoted = "\"" + text + "\"";
  return vhlo ? "#vhlo.string_v1<" + quoted + ">" : quoted;
}

class ForeignCallRewriter {
 public:
  ForeignCallRewriter(const Ir& ir, MlirOperation op)
      : ir_(ir), op_(op), vhlo_(IsVhlo(ir.Name(op))) {}

  // The description of the call at hand.
  ForeignCall Describe(std::string target) const {
    ForeignCall call;
    call.target = std::move(target);
    for (MlirValue operand : ir_.Operands(op_)) {
      call.operands.push_back(Tensor(ir_.api.mlirValueGetType(operand)));
    }
    for (MlirType type : ir_.ResultTypes(op_)) {
      call.results.push_back(Tensor(type));
    }
    ReadLayouts("operand_layouts", call.operands);
    ReadLayouts("result_layouts", call.results);
    call.aliases =
        ReadAliases(ir_, op_, call.operands.size(), call.results.size());
    ReadConfig(call);
    return call;
  }

  // Replaces the operation by an import and a call of it.
  void Replace(const ForeignCall& call, size_t index) const {
    std::vector<MlirValue> operands = ir_.Operands(op_);
    std::vector<MlirType> types = ir_.ResultTypes(op_);
    for (size_t i = 0; i < operands.size(); ++i) {
      operands[i] = Transposed(operands[i], call.operands[i].major_to_minor);
    }
    for (size_t i = 0; i < types.size(); ++i) {
      types[i] = Physical(types[i], call.results[i]);
    }
    const std::string name =
        std::string(kForeignModule) + "." + ForeignFunctionName(index);
    Declare(name, operands, types);
    const MlirOperation made = ir_.CreateBefore(
        op_, vhlo_ ? "vhlo.call_v1" : "func.call", operands, types,
        {ir_.Named("callee",
                   ir_.Parse(vhlo_ ? StringText(name, true) : "@" + name))});
    std::vector<MlirValue> results;
    for (size_t i = 0; i < types.size(); ++i) {
      const MlirValue value =
          ir_.api.mlirOperationGetResult(made, static_cast<intptr_t>(i));
      results.push_back(
          Transposed(value, Inverse(call.results[i].major_to_minor)));
    }
    ir_.Replace(op_, results);
  }

 private:
  ForeignTensor Tensor(MlirType type) const {
    ForeignTensor tensor;
    tensor.shape = ReadShape(ir_, type);
    tensor.major_to_minor = UpTo(tensor.shape.dims.size());
    return tensor;
  }

  // Layouts come from the fastest to the slowest dimension.
  void ReadLayouts(std::string_view name,
                   std::vector<ForeignTensor>& tensors) const {
    const MlirAttribute layouts = BuiltinAttribute(ir_, op_, name);
    if (!layouts.ptr || !ir_.api.mlirAttributeIsAArray(layouts)) return;
    const intptr_t count = ir_.api.mlirArrayAttrGetNumElements(layouts);
    if (count == 0) return;
    if (static_cast<size_t>(count) != tensors.size()) {
      ThrowInvalidArgument("a custom call with " + std::to_string(count) +
                           " layouts for " + std::to_string(tensors.size()) +
                           " tensors");
    }
    for (size_t i = 0; i < tensors.size(); ++i) {
      Dims order = ReadIntegers(ir_, ir_.api.mlirArrayAttrGetElement(
                                         layouts, static_cast<intptr_t>(i)));
      std::reverse(order.begin(), order.end());
      const Dims plain = UpTo(tensors[i].shape.dims.size());
      if (!std::is_permutation(order.begin(), order.end(), plain.begin(),
                               plain.end())) {
        ThrowInvalidArgument("a custom call with the layout [" + List(order) +
                             "] for a tensor of rank " +
                             std::to_string(plain.size()));
      }
      tensors[i].major_to_minor = std::move(order);
    }
  }

  void ReadConfig(ForeignCall& call) const {
    // Where JAX puts a dictionary depends on the version of StableHLO.
    for (const char* name : {"mhlo.backend_config", "backend_config"}) {
      const MlirAttribute config = BuiltinAttribute(ir_, op_, name);
      if (!config.ptr || !ir_.api.mlirAttributeIsADictionary(config)) continue;
      call.attributes = ReadForeignAttribute(ir_, config).entries;
      return;
    }
  }

  MlirType Physical(MlirType type, const ForeignTensor& tensor) const {
    if (tensor.is_row_major()) return type;
    return ir_.ParseType(
        ArrayTypeOf(ir_, type).value().Reshaped(tensor.PhysicalDims()));
  }

  // `value` with its dimensions in this order.
  MlirValue Transposed(MlirValue value, const Dims& order) const {
    if (order == UpTo(order.size())) return value;
    return StablehloBuilder(ir_, op_).Transpose(value, order);
  }

  std::string Types(const std::vector<MlirType>& types) const {
    std::string text;
    for (MlirType type : types) {
      text += (text.empty() ? "" : ", ") + ir_.Print(type);
    }
    return text;
  }

  void Declare(const std::string& name, const std::vector<MlirValue>& operands,
               const std::vector<MlirType>& results) const {
    std::vector<MlirType> inputs;
    for (MlirValue operand : operands) {
      inputs.push_back(ir_.api.mlirValueGetType(operand));
    }
    // VHLO prints brackets around the list of inputs, and none around that of
    // results, except for `()`, an empty list.
    const auto list = [&](const std::vector<MlirType>& types) {
      return vhlo_ && types.empty() ? "()" : Types(types);
    };
    std::string outputs = list(results);
    if (!vhlo_) outputs = "(" + outputs + ")";
    std::string type = "(" + list(inputs) + ") -> " + outputs;
    std::vector<MlirNamedAttribute> attributes = {
        ir_.Named("sym_name", ir_.Parse(StringText(name, vhlo_))),
        ir_.Named("sym_visibility", ir_.Parse(StringText("private", vhlo_)))};
    if (vhlo_) {
      type = "#vhlo.type_v1<!vhlo.func_v1<" + type + ">>";
      const MlirAttribute none = ir_.Parse("#vhlo.array_v1<[]>");
      attributes.push_back(ir_.Named("arg_attrs", none));
      attributes.push_back(ir_.Named("res_attrs", none));
    }
    attributes.push_back(ir_.Named("function_type", ir_.Parse(type)));
    ir_.Declare(vhlo_ ? "vhlo.func_v1" : "func.func", attributes);
  }

  const Ir& ir_;
  const MlirOperation op_;
  const bool vhlo_;
};

// Typed calls name their version; older artifacts of JAX say "original" and
// come with a dictionary.
bool IsTyped(const Ir& ir, MlirOperation op) {
  const std::string version = ir.Print(ir.Attribute(op, "api_version"));
  return version.find("TYPED_FFI") != std::string::npos ||
         version.starts_with("4 ") ||
         ir.Attribute(op, "mhlo.backend_config").ptr;
}

// IREE's own lowering of `fft` is for powers of two alone.
ForeignAttribute::Dictionary FftAttributes(const Ir& ir, MlirOperation op) {
  const std::string type = ReadWord(ir, ir.Attribute(op, "fft_type"));
  constexpr std::array<std::string_view, 4> kKinds = {"FFT", "IFFT", "RFFT",
                                                      "IRFFT"};
  const auto kind = std::find(kKinds.begin(), kKinds.end(), type);
  if (kind == kKinds.end()) ThrowInvalidArgument("an fft of kind " + type);
  const auto lengths = ReadIntegers(ir, BuiltinAttribute(ir, op, "fft_length"));
  return {{"kind", ForeignAttribute::OfInt32(
                       static_cast<int32_t>(kind - kKinds.begin()))},
          {"rank",
           ForeignAttribute::OfInt32(static_cast<int32_t>(lengths.size()))}};
}

}  // namespace

void RewriteForeignCalls(const Ir& ir, std::vector<ForeignCall>& calls) {
  for (MlirOperation op : ir.AllOperations()) {
    const std::string_view name = StablehloName(ir.Name(op));
    const bool fft = name == "fft";
    if (!fft && (name != "custom_call" || !IsTyped(ir, op))) continue;
    std::string target =
        fft ? kFftTarget : ir.StringAttribute(op, "call_target_name");
    HandlerRegistry::Get().RequireToCompile(target);
    const ForeignCallRewriter rewriter(ir, op);
    ForeignCall call = rewriter.Describe(std::move(target));
    if (fft) call.attributes = FftAttributes(ir, op);
    rewriter.Replace(call, calls.size());
    calls.push_back(std::move(call));
  }
}

}  // namespace iree_pjrt
