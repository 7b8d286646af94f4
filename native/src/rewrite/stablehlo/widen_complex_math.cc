// SPDX-License-Identifier: Apache-2.0
// expm1, tan and tanh of complex numbers. IREE (3.11, 3.13) takes them apart
// when passes here do not see it any more: into sines of float32 that are wrong
// for large angles, and sums in which a part that is small beside the other is
// lost. The pass computes each part for itself, in float64.
#include <utility>

#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Of z = x + iy, in float64.
class ComplexMath {
 public:
  // Real and imaginary part.
  using Parts = std::pair<MlirValue, MlirValue>;

  explicit ComplexMath(const StablehloBuilder& builder) : b_(builder) {}

  // x' = exp(x) - 1: x' cos(y) - 2 sin(y / 2)^2 + i exp(x) sin(y)
  Parts Expm1(MlirValue x, MlirValue y) const {
    const MlirValue half = Function("sine", Times(y, Number(y, "0.5")));
    const MlirValue real = Minus(
        Times(Function("exponential_minus_one", x), Function("cosine", y)),
        Times(Number(y, "2.0"), Times(half, half)));
    const MlirValue imaginary =
        Times(Function("exponential", x), Function("sine", y));
    // Infinite times zero is no number.
    return {real, IfZero(y, y, imaginary)};
  }

  // t = tanh(x), s = sin(y), c = cos(y):
  // (t + i s c (1 - t^2)) / (c^2 + t^2 s^2)
  Parts Tanh(MlirValue x, MlirValue y) const {
    const MlirValue t = Function("tanh", x);
    const MlirValue s = Function("sine", y);
    const MlirValue c = Function("cosine", y);
    const MlirValue u =
        Function("exponential", Times(Function("abs", x), Number(x, "-2.0")));
    // 1 - t^2 = 4 u / (1 + u)^2, where nothing cancels
    const MlirValue sum = Plus(u, Number(x, "1.0"));
    const MlirValue rest = Over(Times(Number(x, "4.0"), u), Times(sum, sum));
    const MlirValue ts = Times(t, s);
    const MlirValue whole = Plus(Times(c, c), Times(ts, ts));
    return {IfZero(u, t, Over(t, whole)),
            IfZero(u, u, Over(Times(Times(s, c), rest), whole))};
  }

  // tan(x + iy) = -i tanh(i (x + iy)); no number if only x is infinite
  Parts Tan(MlirValue x, MlirValue y) const {
    const auto [imaginary, real] = Tanh(y, x);
    const MlirValue zero = Number(x, "0.0");
    const MlirValue none =
        IfZero(Times(zero, y), Times(zero, Function("sine", x)), zero);
    return {Plus(real, none), Plus(imaginary, none)};
  }

 private:
  MlirValue Number(MlirValue like, std::string_view text) const {
    return b_.Splat(b_.Type(b_.ShapeOf(like), "f64"), text);
  }
  MlirValue Function(std::string_view name, MlirValue x) const {
    return b_.Apply(name, {x});
  }
  MlirValue Plus(MlirValue a, MlirValue b) const {
    return b_.Apply("add", {a, b});
  }
  MlirValue Minus(MlirValue a, MlirValue b) const {
    return b_.Apply("subtract", {a, b});
  }
  MlirValue Times(MlirValue a, MlirValue b) const {
    return b_.Apply("multiply", {a, b});
  }
  MlirValue Over(MlirValue a, MlirValue b) const {
    return b_.Apply("divide", {a, b});
  }
  MlirValue IfZero(MlirValue x, MlirValue yes, MlirValue no) const {
    return b_.Select(b_.Compare("EQ", x, Number(x, "0.0")), yes, no);
  }

  const StablehloBuilder& b_;
};

// Null for other functions.
auto FunctionOf(std::string_view name) {
  return name == "exponential_minus_one" ? &ComplexMath::Expm1
         : name == "tan"                 ? &ComplexMath::Tan
         : name == "tanh"                ? &ComplexMath::Tanh
                                         : nullptr;
}

}  // namespace

void WidenComplexMath(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const auto function = FunctionOf(StablehloName(ir.Name(op)));
    if (!function) continue;
    const StablehloBuilder builder(ir, op);
    const MlirValue number = ir.Operands(op).at(0);
    const std::string part = ComplexPart(builder.ElementOf(number));
    if (part.empty()) continue;
    const auto wide = [&](std::string_view name) {
      const MlirValue narrow = builder.Part(name, number);
      return part == "f64" ? narrow : builder.Convert(narrow, "f64");
    };
    const auto [real, imaginary] =
        (ComplexMath(builder).*function)(wide("real"), wide("imag"));
    const auto narrow = [&](MlirValue wide_part) {
      return part == "f64" ? wide_part : builder.Convert(wide_part, part);
    };
    ir.Replace(op, {builder.Complex(narrow(real), narrow(imaginary))});
  }
}

}  // namespace iree_pjrt
