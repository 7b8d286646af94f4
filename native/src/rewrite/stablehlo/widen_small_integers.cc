// SPDX-License-Identifier: Apache-2.0
// Integers of less than a byte. IREE 3.11 packs them, and refuses an odd number
// of them. Arrays of the framework and of the plugin use a byte for each; with
// this pass the program does too. The pass cuts each result that may have grown
// back to its bits, and so the inputs, whose upper bits are undefined. Floats
// become the nearest integer that there is.
#include <algorithm>
#include <array>
#include <string>

#include "base/status.h"
#include "base/text.h"
#include "mlir/retype.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

struct Small {
  std::string_view name;
  std::string_view wide;
  int bits;
  bool is_unsigned;
};
// Unsigned first: `ui4>` also ends in `i4>`.
constexpr std::array<Small, 4> kSmall = {{{"ui2", "ui8", 2, true},
                                          {"ui4", "ui8", 4, true},
                                          {"i2", "i8", 2, false},
                                          {"i4", "i8", 4, false}}};

// Operations that move values about, choose among them, or hand on what was cut
// already (control flow, calls).
constexpr std::array<std::string_view, 22> kKeepSize = {"all_gather",
                                                        "broadcast_in_dim",
                                                        "call",
                                                        "case",
                                                        "clamp",
                                                        "composite",
                                                        "concatenate",
                                                        "constant",
                                                        "custom_call",
                                                        "dynamic_slice",
                                                        "dynamic_update_slice",
                                                        "gather",
                                                        "if",
                                                        "maximum",
                                                        "minimum",
                                                        "pad",
                                                        "reshape",
                                                        "reverse",
                                                        "select",
                                                        "slice",
                                                        "transpose",
                                                        "while"};

// The text of any type, also of a function, in either dialect.
std::string Widened(std::string text) {
  for (const Small& small : kSmall) {
    const std::string name(small.name);
    const std::string wide(small.wide);
    ReplaceAll(text, "!vhlo." + name + "_v1", "!vhlo." + wide + "_v1");
    ReplaceAll(text, name + ">", wide + ">");
  }
  return text;
}

const Small* SmallOf(const Ir& ir, MlirType type) {
  const auto array = ArrayTypeOf(ir, type);
  if (!array) return nullptr;
  const auto small = std::ranges::find(kSmall, array->Element(), &Small::name);
  return small == kSmall.end() ? nullptr : &*small;
}

// Refuses a bitcast that would have to put the bits of two integers into one.
void CheckBitcast(const Ir& ir, MlirOperation op) {
  if (StablehloName(ir.Name(op)) != "bitcast_convert") return;
  const auto bits = [&](MlirType type) {
    const Small* small = SmallOf(ir, type);
    return small ? small->bits : 0;
  };
  const MlirValue operand = ir.api.mlirOperationGetOperand(op, 0);
  if (bits(ir.api.mlirValueGetType(operand)) !=
      bits(ir.ResultTypes(op).at(0))) {
    ThrowUnimplemented(
        "bitcast_convert (`view`) between integers of less than a byte and "
        "others is not supported");
  }
}

class SmallIntegers {
 public:
  // The arguments of `function` are the program's inputs.
  SmallIntegers(const Ir& ir, MlirOperation function)
      : ir_(ir), retyper_(ir, &Widened) {
    const MlirBlock body = ir.Body(function);
    for (intptr_t i = 0; i < ir.api.mlirBlockGetNumArguments(body); ++i) {
      inputs_.push_back(
          ir.api.mlirValueGetType(ir.api.mlirBlockGetArgument(body, i)));
    }
  }

  void CutInputs(MlirOperation function) const {
    const MlirBlock body = ir_.Body(function);
    const MlirOperation first = ir_.api.mlirBlockGetFirstOperation(body);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Small* small = SmallOf(ir_, inputs_[i]);
      if (!small) continue;
      Cut(ir_.api.mlirBlockGetArgument(body, static_cast<intptr_t>(i)), first,
          *small);
    }
  }

  void Rewrite(MlirOperation op) {
    const std::vector<MlirType> types = ir_.ResultTypes(op);
    const std::string_view name = StablehloName(ir_.Name(op));
    if (!retyper_.Retype(op)) return;
    if (name == "constant") WidenValue(op);
    if (std::find(kKeepSize.begin(), kKeepSize.end(), name) !=
        kKeepSize.end()) {
      return;
    }
    for (size_t i = 0; i < types.size(); ++i) {
      const Small* small = SmallOf(ir_, types[i]);
      if (!small) continue;
      const MlirValue result =
          ir_.api.mlirOperationGetResult(op, static_cast<intptr_t>(i));
      const MlirOperation next = ir_.api.mlirOperationGetNextInBlock(op);
      if (name == "convert" && IsOfFloats(op)) {
        Clamp(result, next, *small);
      } else {
        Cut(result, next, *small);
      }
    }
  }

 private:
  bool IsOfFloats(MlirOperation convert) const {
    return IsFloat(StablehloBuilder(ir_, convert)
                       .ElementOf(ir_.api.mlirOperationGetOperand(convert, 0)));
  }

  void Clamp(MlirValue result, MlirOperation next, const Small& small) const {
    const StablehloBuilder builder(ir_, next);
    const int numbers = 1 << small.bits;
    const int least = small.is_unsigned ? 0 : -numbers / 2;
    const auto bound = [&](int number) {
      return builder.Splat(builder.ShapeOf(result), small.wide, number);
    };
    const MlirValue clamped =
        builder.Clamp(bound(least), result, bound(least + numbers - 1));
    ir_.api.mlirValueReplaceAllUsesOfWith(result, clamped);
    ir_.api.mlirOperationSetOperand(ir_.Definition(clamped), 1, result);
  }

  void WidenValue(MlirOperation constant) const {
    constexpr std::string_view kValue = "value";
    ir_.SetAttribute(
        constant, kValue,
        ir_.Parse(Widened(ir_.Print(ir_.Attribute(constant, kValue)))));
  }

  // Shifts the result up until only its bits are left, and down again with the
  // sign, if it has one.
  void Cut(MlirValue result, MlirOperation next, const Small& small) const {
    const StablehloBuilder builder(ir_, next);
    const MlirValue count =
        builder.Splat(builder.ShapeOf(result), small.wide, 8 - small.bits);
    const MlirValue up = builder.Apply("shift_left", {result, count});
    const MlirValue down = builder.Apply(
        small.is_unsigned ? "shift_right_logical" : "shift_right_arithmetic",
        {up, count});
    ir_.api.mlirValueReplaceAllUsesOfWith(result, down);
    ir_.api.mlirOperationSetOperand(ir_.Definition(up), 0, result);
  }

  const Ir& ir_;
  Retyper retyper_;
  std::vector<MlirType> inputs_;  // the inputs' types before the pass
};

}  // namespace

void WidenSmallIntegers(const Ir& ir) {
  const MlirOperation main = ir.Function("main");
  if (!main.ptr) return;
  for (const MlirOperation op : ir.AllOperations()) CheckBitcast(ir, op);
  SmallIntegers integers(ir, main);
  for (const MlirOperation op : ir.AllOperations()) integers.Rewrite(op);
  integers.CutInputs(main);
}

}  // namespace iree_pjrt
