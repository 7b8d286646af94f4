// SPDX-License-Identifier: Apache-2.0
// Floats of 8 bits. IREE 3.11 converts them only from and to float32, rounds
// numbers a little below the smallest normal one to zero, and also computes
// with numbers rounded like that. The pass rounds to nearest, ties to even,
// with operations on the bits of wider floats, and computes in float32.
#include <array>
#include <limits>

#include "mlir/scalar_builder.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

struct Float8 {
  std::string_view name;
  int mantissa;    // bits
  int bias;        // of the exponent
  int largest;     // the bits of the largest finite number
  int overflow;    // the bits of numbers that are larger
  int nan;         // the bits of NaN
  bool signs_all;  // also those of zero and NaN
};
constexpr std::array<Float8, 4> kFloats8 = {
    {{"f8E4M3FN", 3, 7, 0x7e, 0x7f, 0x7f, true},
     {"f8E5M2", 2, 15, 0x7b, 0x7c, 0x7e, true},
     {"f8E4M3FNUZ", 3, 8, 0x7f, 0x80, 0x80, false},
     {"f8E5M2FNUZ", 2, 16, 0x7f, 0x80, 0x80, false}}};

// The float of this name; null for any other type.
const Float8* Float8Of(const std::string& type) {
  for (const Float8& float8 : kFloats8) {
    if (type == float8.name) return &float8;
  }
  return nullptr;
}

// A type that is rounded from: float32 or float64.
struct Wide {
  std::string_view type;
  std::string_view integer;
  int bits;
  int mantissa;  // bits
  int bias;
};
constexpr Wide kFloat32 = {"f32", "i32", 32, 23, 127};
constexpr Wide kFloat64 = {"f64", "i64", 64, 52, 1023};

// The bits of infinity. Larger bits, without the sign, are all NaN.
constexpr int64_t InfinityOf(const Wide& type) {
  return (2 * static_cast<int64_t>(type.bias) + 1) << type.mantissa;
}

class Rounding {
 public:
  Rounding(const Ir& ir, MlirOperation before, const Wide& from,
           const Float8& to)
      : ir_(ir),
        before_(before),
        from_(from),
        to_(to),
        float_(ir, before, ir.ParseType(from.type)),
        integer_(ir, before, ir.ParseType(from.integer)) {}

  MlirValue Of(MlirValue x) const {
    const MlirValue bits = integer_.Bitcast(x);
    const MlirValue size =
        And(bits, std::numeric_limits<int64_t>::max() >> (64 - from_.bits));
    const MlirValue least_normal = integer_.Constant(
        static_cast<int64_t>(from_.bias - to_.bias + 1) << from_.mantissa);
    const MlirValue rounded =
        integer_.Select(integer_.UnsignedLess(size, least_normal),
                        Subnormal(size), Normal(size));
    return AsFloat8(Signed(bits, Limited(size, rounded)));
  }

 private:
  MlirValue Apply(std::string_view name, MlirValue a, MlirValue b) const {
    return integer_.Apply(name, {a, b});
  }
  MlirValue And(MlirValue a, int64_t mask) const {
    return Apply("arith.andi", a, integer_.Constant(mask));
  }
  MlirValue ShiftedRight(MlirValue a, int count) const {
    return Apply("arith.shrui", a, integer_.Constant(count));
  }

  // The bits of a rounded number if its 8 bits have an exponent of their own.
  // If it is larger than `largest`, so are its bits.
  MlirValue Normal(MlirValue size) const {
    const int dropped = from_.mantissa - to_.mantissa;
    const MlirValue odd = And(ShiftedRight(size, dropped), 1);
    const MlirValue half = integer_.Constant((int64_t{1} << (dropped - 1)) - 1);
    const MlirValue up =
        Apply("arith.addi", Apply("arith.addi", size, half), odd);
    const auto bias = static_cast<int64_t>(from_.bias - to_.bias);
    return Apply("arith.subi", ShiftedRight(up, dropped),
                 integer_.Constant(bias << to_.mantissa));
  }

  // The bits of a number without an exponent of its own. A number is added
  // whose last bit weighs as much as the least float of 8 bits: the sum is
  // rounded to a multiple of that.
  MlirValue Subnormal(MlirValue size) const {
    const int exponent = from_.mantissa + 1 - to_.bias - to_.mantissa;
    const MlirValue magic = integer_.Constant(
        static_cast<int64_t>(from_.bias + exponent) << from_.mantissa);
    const MlirValue sum = float_.Apply(
        "arith.addf", {float_.Bitcast(size), float_.Bitcast(magic)});
    return Apply("arith.subi", integer_.Bitcast(sum), magic);
  }

  MlirValue Limited(MlirValue size, MlirValue rounded) const {
    const MlirValue largest = integer_.Constant(to_.largest);
    const MlirValue limited =
        integer_.Select(integer_.UnsignedLess(largest, rounded),
                        integer_.Constant(to_.overflow), rounded);
    return integer_.Select(
        integer_.UnsignedLess(integer_.Constant(InfinityOf(from_)), size),
        integer_.Constant(to_.nan), limited);
  }

  MlirValue Signed(MlirValue bits, MlirValue limited) const {
    const MlirValue sign = And(ShiftedRight(bits, from_.bits - 8), 0x80);
    const MlirValue result = Apply("arith.ori", limited, sign);
    if (to_.signs_all) return result;
    const MlirValue zero = integer_.Constant(0);
    const MlirValue is_zero = integer_.IntegersEqual(limited, zero);
    return integer_.Select(is_zero, zero, result);
  }

  MlirValue AsFloat8(MlirValue bits) const {
    const MlirValue byte = ScalarBuilder(ir_, before_, ir_.ParseType("i8"))
                               .Apply("arith.trunci", {bits});
    return ScalarBuilder(ir_, before_, ir_.ParseType(to_.name)).Bitcast(byte);
  }

  const Ir& ir_;
  const MlirOperation before_;
  const Wide& from_;
  const Float8& to_;
  const ScalarBuilder float_;
  const ScalarBuilder integer_;
};

MlirType TypeOf(const Ir& ir, MlirValue value) {
  return ir.api.mlirValueGetType(value);
}

// A power of two without sign, zero or infinity: the bits are those of a
// float32's exponent.
constexpr std::string_view kPower = "f8E8M0FNU";
constexpr int kPowerNan = 255;

bool IsFloat8(const std::string& type) {
  return type == kPower || Float8Of(type);
}

// Half a step rounds up; below the least power, every number rounds up to it.
// Zero, negative, infinite and too large numbers become NaN, as NaN does.
MlirValue RoundedToPower(const Ir& ir, MlirOperation before, const Wide& from,
                         MlirValue x) {
  const ScalarBuilder b(ir, before, ir.ParseType(from.integer));
  const int64_t half = int64_t{1} << (from.mantissa - 1);
  const auto bias = static_cast<int64_t>(from.bias - kFloat32.bias);
  const MlirValue bits = b.Bitcast(x);
  const MlirValue up = b.Apply("arith.addi", {bits, b.Constant(half)});
  const MlirValue step =
      b.Apply("arith.shrui", {up, b.Constant(from.mantissa)});
  // The least power has no exponent of its own in float32.
  const int64_t least = bias == 0 ? half : bias << from.mantissa;
  const MlirValue exponent =
      b.Select(b.UnsignedLess(bits, b.Constant(least + 1)), b.Constant(0),
               b.Apply("arith.subi", {step, b.Constant(bias)}));
  const MlirValue is_positive =
      b.UnsignedLess(b.Apply("arith.subi", {bits, b.Constant(1)}),
                     b.Constant(InfinityOf(from) - 1));
  const MlirValue nan = b.Constant(kPowerNan);
  const MlirValue limited = b.Select(b.UnsignedLess(exponent, nan),
                                     b.Select(is_positive, exponent, nan), nan);
  const MlirValue byte = ScalarBuilder(ir, before, ir.ParseType("i8"))
                             .Apply("arith.trunci", {limited});
  return ScalarBuilder(ir, before, ir.ParseType(kPower)).Bitcast(byte);
}

// IREE's own conversion makes zero of the least power.
MlirValue PowerAsFloat32(const Ir& ir, MlirOperation before, MlirValue x) {
  const MlirValue byte =
      ScalarBuilder(ir, before, ir.ParseType("i8")).Bitcast(x);
  const ScalarBuilder b(ir, before, ir.ParseType("i32"));
  const MlirValue exponent = b.Apply("arith.extui", {byte});
  const auto is = [&](int number) {
    return b.IntegersEqual(exponent, b.Constant(number));
  };
  const MlirValue bits = b.Select(
      is(0), b.Constant(1 << 22),
      b.Select(
          is(kPowerNan), b.Constant(0x7fc0'0000),
          b.Apply("arith.shli", {exponent, b.Constant(kFloat32.mantissa)})));
  return ScalarBuilder(ir, before, ir.ParseType("f32")).Bitcast(bits);
}

// IREE's own conversion makes -480 of one of the NaNs.
MlirValue Float8AsFloat32(const Ir& ir, MlirOperation before, MlirValue x,
                          const Float8& from) {
  const MlirValue byte =
      ScalarBuilder(ir, before, ir.ParseType("i8")).Bitcast(x);
  const ScalarBuilder b(ir, before, ir.ParseType("i32"));
  const ScalarBuilder f(ir, before, ir.ParseType("f32"));
  const auto apply = [&](std::string_view name, MlirValue l, int r) {
    return b.Apply(name, {l, b.Constant(r)});
  };
  const MlirValue bits = b.Apply("arith.extui", {byte});
  const MlirValue size = apply("arith.andi", bits, 0x7f);
  const int mantissa = kFloat32.mantissa;
  const MlirValue normal =
      apply("arith.addi", apply("arith.shli", size, mantissa - from.mantissa),
            (kFloat32.bias - from.bias) << mantissa);
  const MlirValue step = f.Bitcast(
      b.Constant((kFloat32.bias + 1 - from.bias - from.mantissa) << mantissa));
  const MlirValue subnormal =
      f.Apply("arith.mulf", {f.Apply("arith.uitofp", {size}), step});
  const MlirValue finite =
      b.Select(b.UnsignedLess(size, b.Constant(1 << from.mantissa)),
               b.Bitcast(subnormal), normal);
  const MlirValue sign =
      apply("arith.shli", apply("arith.andi", bits, 0x80), 24);
  const MlirValue infinity = b.Constant(0x7f80'0000);
  const MlirValue nan = b.Constant(0x7fc0'0000);
  const auto limited = [&] {
    if (!from.signs_all) {
      return b.Select(b.IntegersEqual(bits, b.Constant(from.nan)), nan, finite);
    }
    const MlirValue beyond =
        b.Select(b.UnsignedLess(b.Constant(from.overflow), size), nan,
                 from.overflow == from.nan ? nan : infinity);
    return b.Select(b.UnsignedLess(b.Constant(from.largest), size), beyond,
                    finite);
  };
  return f.Bitcast(b.Apply("arith.ori", {limited(), sign}));
}

// The operand as float32, if it is a narrower float.
MlirValue AsFloat32(const Ir& ir, MlirOperation op, MlirValue operand) {
  const std::string type = ir.Print(TypeOf(ir, operand));
  if (type == kPower) return PowerAsFloat32(ir, op, operand);
  if (const Float8* const float8 = Float8Of(type)) {
    return Float8AsFloat32(ir, op, operand, *float8);
  }
  if (type != "f16" && type != "bf16") return operand;
  return ScalarBuilder(ir, op, ir.ParseType("f32"))
      .Apply("arith.extf", {operand});
}

// Rounds float32 and float64 directly: float64 through float32 would be rounded
// twice, which can differ.
MlirValue Rounded(const Ir& ir, MlirOperation op, MlirValue x,
                  const std::string& to) {
  const bool is_double = ir.Print(TypeOf(ir, x)) == "f64";
  const Wide& from = is_double ? kFloat64 : kFloat32;
  const Float8* const float8 = Float8Of(to);
  return float8 ? Rounding(ir, op, from, *float8).Of(x)
                : RoundedToPower(ir, op, from, x);
}

// The result of `op`, computed in float32.
MlirValue Computed(const Ir& ir, MlirOperation op) {
  std::vector<MlirValue> operands;
  for (const MlirValue operand : ir.Operands(op)) {
    operands.push_back(AsFloat32(ir, op, operand));
  }
  return ScalarBuilder(ir, op, ir.ParseType("f32"))
      .Apply(ir.Name(op), operands);
}

MlirValue Extended(const Ir& ir, MlirOperation op, MlirType to) {
  const MlirValue wide =
      AsFloat32(ir, op, ir.api.mlirOperationGetOperand(op, 0));
  const std::string name = ir.Print(to);
  if (name == "f32") return wide;
  return ScalarBuilder(ir, op, to)
      .Apply(name == "f64" ? "arith.extf" : "arith.truncf", {wide});
}

// Widens the operands of a comparison or a conversion to integers.
void WidenOperands(const Ir& ir, MlirOperation op) {
  const std::vector<MlirValue> operands = ir.Operands(op);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!IsFloat8(ir.Print(TypeOf(ir, operands[i])))) continue;
    ir.api.mlirOperationSetOperand(op, static_cast<intptr_t>(i),
                                   AsFloat32(ir, op, operands[i]));
  }
}

// Whether the operation only moves its operands.
bool Moves(std::string_view name) {
  return name == "arith.constant" || name == "arith.select" ||
         name == "arith.bitcast";
}

}  // namespace

void RoundFloats8(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view name = ir.Name(op);
    if ((!name.starts_with("arith.") && !name.starts_with("math.")) ||
        Moves(name)) {
      continue;
    }
    const MlirType result = ir.ResultTypes(op).at(0);
    const std::string to = ir.Print(result);
    const auto operand = [&] { return ir.api.mlirOperationGetOperand(op, 0); };
    if (name == "arith.extf" && IsFloat8(ir.Print(TypeOf(ir, operand())))) {
      ir.Replace(op, {Extended(ir, op, result)});
    } else if (IsFloat8(to)) {
      const MlirValue wide = name == "arith.truncf"
                                 ? AsFloat32(ir, op, operand())
                                 : Computed(ir, op);
      ir.Replace(op, {Rounded(ir, op, wide, to)});
    } else {
      WidenOperands(ir, op);
    }
  }
}

}  // namespace iree_pjrt
