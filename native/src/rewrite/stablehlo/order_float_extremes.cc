// SPDX-License-Identifier: Apache-2.0
// The largest and the smallest of floats. Where elements do not fill a vector,
// the MLIR of IREE 3.11 pads it with a number that can change the result:
// -1e-45 for the largest (the largest of negative numbers is then -0.0), the
// largest finite number for the smallest. The pass compares integers instead.
// The bits of floats order like integers once those of negative floats are
// inverted; NaN, which wins both comparisons, becomes the outermost integer.
// Floats of 16 bits are compared so wherever they are reduced: most processors
// have no vectors of them, but of integers.
#include <algorithm>
#include <array>

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/reducer.h"
#include "rewrite/stablehlo/vectors.h"

namespace iree_pjrt {
namespace {

struct Float {
  std::string_view name;
  int bits;
  int64_t infinity;  // larger bits, without the sign, are NaN
};
constexpr std::array<Float, 6> kFloats = {{{"f64", 64, 0x7ff0'0000'0000'0000},
                                           {"f32", 32, 0x7f80'0000},
                                           {"bf16", 16, 0x7f80},
                                           {"f16", 16, 0x7c00},
                                           {"f8E4M3FN", 8, 0x7e},
                                           {"f8E5M2", 8, 0x7c}}};

// The float type of an array's elements; null if they are others.
const Float* FloatOf(const ArrayType& array) {
  const auto type = std::ranges::find(kFloats, array.Element(), &Float::name);
  return type == kFloats.end() ? nullptr : &*type;
}

class Extreme {
 public:
  Extreme(const Ir& ir, MlirOperation op, const Float& type, bool largest)
      : ir_(ir),
        op_(op),
        type_(type),
        largest_(largest),
        integer_("i" + std::to_string(type.bits)) {}

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
  int64_t Largest() const {
    return static_cast<int64_t>(~uint64_t{0} >> (65 - type_.bits));
  }

  MlirValue Constant(const StablehloBuilder& builder, MlirValue like,
                     int64_t number) const {
    return builder.Splat(builder.ShapeOf(like), integer_, number);
  }

  // Inverts the bits of negative numbers, but for the sign.
  MlirValue Turned(const StablehloBuilder& builder, MlirValue bits) const {
    const MlirValue sign =
        builder.Apply("shift_right_arithmetic",
                      {bits, Constant(builder, bits, type_.bits - 1)});
    const MlirValue mask =
        builder.Apply("and", {sign, Constant(builder, bits, Largest())});
    return builder.Apply("xor", {bits, mask});
  }

  MlirValue Ordered(MlirValue floats) const {
    const StablehloBuilder builder(ir_, op_);
    // IREE does not fold conversions: the number that a reduction begins with
    // would be computed by a dispatch at each call, for which the host waits.
    const auto bytes = static_cast<size_t>(type_.bits) / 8;
    if (const auto bits = ConstantBits(ir_, floats, bytes)) {
      const int unused = 64 - type_.bits;
      return Constant(builder, floats,
                      Ordered(static_cast<int64_t>(*bits << unused) >> unused));
    }
    const MlirValue bits = builder.BitcastConvert(floats, integer_);
    const MlirValue size =
        builder.Apply("and", {bits, Constant(builder, bits, Largest())});
    const MlirValue is_nan =
        builder.Compare("GT", size, Constant(builder, bits, type_.infinity));
    const MlirValue nan =
        Constant(builder, bits, largest_ ? Largest() : -Largest() - 1);
    return builder.Select(is_nan, nan, Turned(builder, bits));
  }

  int64_t Ordered(int64_t bits) const {
    if ((bits & Largest()) > type_.infinity) {
      return largest_ ? Largest() : -Largest() - 1;
    }
    return bits < 0 ? bits ^ Largest() : bits;
  }

  void BecomeInteger(MlirValue value) const {
    const StablehloBuilder builder(ir_, op_);
    ir_.api.mlirValueSetType(value,
                             builder.Type(builder.ShapeOf(value), integer_));
  }

  // Users of the result get it converted back to floats.
  void BringBack(MlirValue result) const {
    const std::vector<Use> uses = ir_.Uses(result);
    BecomeInteger(result);
    const StablehloBuilder after(ir_, ir_.api.mlirOperationGetNextInBlock(op_),
                                 op_);
    const MlirValue floats =
        after.BitcastConvert(Turned(after, result), type_.name);
    ir_.SetUses(uses, floats);
  }

  const Ir& ir_;
  const MlirOperation op_;
  const Float& type_;
  const bool largest_;
  const std::string integer_;
};

bool IsNarrowReduction(const Ir& ir, MlirOperation op, const Float& type) {
  return type.bits == 16 && StablehloName(ir.Name(op)) == "reduce";
}

// Whether the reduced elements may leave a vector partly filled.
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
    if (!from || !to) continue;
    const Float* const floats = FloatOf(*from);
    if (!floats || (!IsNarrowReduction(ir, op, *floats) &&
                    !LeavesVectors(ir, op, *from, *to))) {
      continue;
    }
    const std::string_view computed = ReducerOf(ir, op);
    if (computed != "maximum" && computed != "minimum") continue;
    Extreme(ir, op, *floats, computed == "maximum").TakeIntegers();
  }
}

}  // namespace iree_pjrt
