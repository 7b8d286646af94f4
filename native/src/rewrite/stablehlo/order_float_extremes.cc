// SPDX-License-Identifier: Apache-2.0
// The largest and the smallest of floats. Where elements do not fill a vector,
// the MLIR of IREE 3.11 pads it with a number that can change the result:
// -1e-45 for the largest (the largest of negative numbers is then -0.0), the
// largest finite number for the smallest. The pass compares integers instead.
// The bits of floats order like integers once those of negative floats are
// inverted; NaN, which wins both comparisons, becomes the outermost integer.
#include <algorithm>
#include <array>

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Vectors of all types divide it.
constexpr int64_t kFillsVectors = 64;

struct Float {
  std::string_view name;
  int bits;
  int64_t infinity;  // the bits beyond which, without the sign, all are NaN
};
constexpr std::array<Float, 6> kFloats = {{{"f64", 64, 0x7ff0'0000'0000'0000},
                                           {"f32", 32, 0x7f80'0000},
                                           {"bf16", 16, 0x7f80},
                                           {"f16", 16, 0x7c00},
                                           {"f8E4M3FN", 8, 0x7e},
                                           {"f8E5M2", 8, 0x7c}}};

// Of the type of an array; null if it has other elements.
const Float* FloatOf(const ArrayType& array) {
  for (const Float& type : kFloats) {
    const std::string name(type.name);
    if (array.after == name + ">" || array.after == "!vhlo." + name + "_v1>") {
      return &type;
    }
  }
  return nullptr;
}

class Extreme {
 public:
  Extreme(const Ir& ir, MlirOperation op, const Float& type, bool largest)
      : ir_(ir),
        op_(op),
        type_(type),
        largest_(largest),
        vhlo_(ir.Name(op).starts_with("vhlo.")) {}

  void TakeIntegers() {
    for (intptr_t i = 0; i < 2; ++i) {
      ir_.api.mlirOperationSetOperand(
          op_, i, Ordered(ir_.api.mlirOperationGetOperand(op_, i)));
    }
    const MlirBlock body = ir_.Body(op_);
    for (intptr_t i = 0; i < 2; ++i) {
      BecomeInteger(ir_.api.mlirBlockGetArgument(body, i));
    }
    BecomeInteger(ir_.api.mlirOperationGetResult(
        ir_.api.mlirBlockGetFirstOperation(body), 0));
    BringBack(ir_.api.mlirOperationGetResult(op_, 0));
  }

 private:
  MlirValue Make(MlirOperation before, const std::string& name,
                 const std::vector<MlirValue>& operands, MlirType type,
                 const std::vector<MlirNamedAttribute>& attributes = {}) const {
    const MlirOperation made =
        ir_.CreateBefore(before, StablehloNameLike(ir_.Name(op_), name),
                         operands, {type}, attributes);
    return ir_.api.mlirOperationGetResult(made, 0);
  }

  // The type with other elements: `i32`, `i1`.
  MlirType With(MlirType type, const std::string& element) const {
    const std::string text = ir_.Print(type);
    const std::string name(type_.name);
    const std::string own = vhlo_ ? "!vhlo." + name + "_v1>" : name + ">";
    const std::string other =
        !vhlo_ ? element + ">"
               : "!vhlo." + (element == "i1" ? "bool" : element) + "_v1>";
    return ir_.ParseType(text.substr(0, text.size() - own.size()) + other);
  }

  MlirType Integers(MlirType type) const {
    return With(type, "i" + std::to_string(type_.bits));
  }

  MlirValue Constant(MlirOperation before, MlirType type,
                     int64_t number) const {
    const std::string dense = "dense<" + std::to_string(number) +
                              "> : " + WithoutVhlo(ir_.Print(type));
    return Make(
        before, "constant", {}, type,
        {ir_.Named("value", ir_.Parse(vhlo_ ? "#vhlo.tensor_v1<" + dense + ">"
                                            : dense))});
  }

  int64_t Largest() const {
    return static_cast<int64_t>(~uint64_t{0} >> (65 - type_.bits));
  }

  // Turns the bits of negative numbers around, but for the sign.
  MlirValue Turned(MlirOperation before, MlirValue bits) const {
    const MlirType type = ir_.api.mlirValueGetType(bits);
    const MlirValue sign =
        Make(before, "shift_right_arithmetic",
             {bits, Constant(before, type, type_.bits - 1)}, type);
    const MlirValue mask =
        Make(before, "and", {sign, Constant(before, type, Largest())}, type);
    return Make(before, "xor", {bits, mask}, type);
  }

  MlirValue Ordered(MlirValue floats) const {
    const MlirType type = ir_.api.mlirValueGetType(floats);
    const MlirType integers = Integers(type);
    const MlirValue bits = Make(op_, "bitcast_convert", {floats}, integers);
    const MlirValue size =
        Make(op_, "and", {bits, Constant(op_, integers, Largest())}, integers);
    const std::string direction = vhlo_ ? "#vhlo<comparison_direction_v1 GT>"
                                        : "#stablehlo<comparison_direction GT>";
    const std::string kind = vhlo_ ? "#vhlo<comparison_type_v1 SIGNED>"
                                   : "#stablehlo<comparison_type SIGNED>";
    const MlirValue is_nan =
        Make(op_, "compare", {size, Constant(op_, integers, type_.infinity)},
             With(type, "i1"),
             {ir_.Named("comparison_direction", ir_.Parse(direction)),
              ir_.Named("compare_type", ir_.Parse(kind))});
    const MlirValue nan =
        Constant(op_, integers, largest_ ? Largest() : -Largest() - 1);
    return Make(op_, "select", {is_nan, nan, Turned(op_, bits)}, integers);
  }

  void BecomeInteger(MlirValue value) const {
    ir_.api.mlirValueSetType(value, Integers(ir_.api.mlirValueGetType(value)));
  }

  // Whoever uses the result gets it as floats.
  void BringBack(MlirValue result) const {
    const MlirType type = ir_.api.mlirValueGetType(result);
    const MlirOperation next = ir_.api.mlirOperationGetNextInBlock(op_);
    // Stands in for the result until all else is made of that.
    const MlirValue floats = Make(next, "bitcast_convert", {result}, type);
    ir_.api.mlirValueReplaceAllUsesOfWith(result, floats);
    BecomeInteger(result);
    const MlirOperation cast = ir_.Definition(floats);
    ir_.api.mlirOperationSetOperand(cast, 0, Turned(cast, result));
  }

  const Ir& ir_;
  const MlirOperation op_;
  const Float& type_;
  const bool largest_;
  const bool vhlo_;
};

// `maximum` or `minimum` if that of its two arguments is all that the body
// computes; empty otherwise.
std::string_view ComputedBy(const Ir& ir, MlirOperation reduce) {
  const MlirBlock body = ir.Body(reduce);
  const MlirOperation op = ir.api.mlirBlockGetFirstOperation(body);
  const std::string_view name = StablehloName(ir.Name(op));
  if (name != "maximum" && name != "minimum") return {};
  const MlirOperation end = ir.api.mlirOperationGetNextInBlock(op);
  const bool only = ir.api.mlirOperationGetNextInBlock(end).ptr == nullptr &&
                    ir.api.mlirOperationGetOperand(end, 0).ptr ==
                        ir.api.mlirOperationGetResult(op, 0).ptr &&
                    ir.api.mlirOperationGetOperand(op, 0).ptr !=
                        ir.api.mlirOperationGetOperand(op, 1).ptr &&
                    !ir.Definition(ir.api.mlirOperationGetOperand(op, 0)).ptr &&
                    !ir.Definition(ir.api.mlirOperationGetOperand(op, 1)).ptr;
  return only ? name : std::string_view{};
}

// Whether vectors of what is reduced may not be full.
bool LeavesVectors(const Ir& ir, MlirOperation op, const ArrayType& from,
                   const ArrayType& to) {
  if (StablehloName(ir.Name(op)) == "reduce") {
    const std::vector<int64_t> dimensions =
        ReadIntegers(ir, BuiltinAttribute(ir, op, "dimensions"));
    return std::any_of(dimensions.begin(), dimensions.end(),
                       [&](int64_t dimension) {
                         return from.shape.at(static_cast<size_t>(dimension)) %
                                    kFillsVectors !=
                                0;
                       });
  }
  // A window as large as the array is a reduction.
  for (size_t i = 0; i < to.shape.size(); ++i) {
    if (to.shape[i] == 1 && from.shape.at(i) > 1) return true;
  }
  return false;
}

}  // namespace

void OrderFloatExtremes(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view name = StablehloName(ir.Name(op));
    if ((name != "reduce" && name != "reduce_window") ||
        ir.api.mlirOperationGetNumOperands(op) != 2) {
      continue;
    }
    const auto from = ArrayTypeOf(ir, ir.api.mlirOperationGetOperand(op, 0));
    const auto to = ArrayTypeOf(ir, ir.api.mlirOperationGetResult(op, 0));
    if (!from || !to || !LeavesVectors(ir, op, *from, *to)) continue;
    const Float* const floats = FloatOf(*from);
    const std::string_view computed = ComputedBy(ir, op);
    if (!floats || computed.empty()) continue;
    Extreme(ir, op, *floats, computed == "maximum").TakeIntegers();
  }
}

}  // namespace iree_pjrt
