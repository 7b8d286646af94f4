// SPDX-License-Identifier: Apache-2.0
#include "rewrite/linalg/exponentials.h"

namespace iree_pjrt {
namespace {

// 1.5 * 2 ** 52: what is added to it is rounded to whole numbers, which are the
// last bits of the sum.
constexpr char kWhole[] = "6755399441055744.0";

}  // namespace

MlirValue Exponentials::Add(MlirValue a, MlirValue b) const {
  return b_.Apply("arith.addf", {a, b});
}

MlirValue Exponentials::Subtract(MlirValue a, MlirValue b) const {
  return b_.Apply("arith.subf", {a, b});
}

MlirValue Exponentials::Multiply(MlirValue a, MlirValue b) const {
  return b_.Apply("arith.mulf", {a, b});
}

MlirValue Exponentials::Clamped(MlirValue x, const char* least,
                                const char* most) const {
  return b_.Apply(
      "arith.minnumf",
      {b_.Apply("arith.maxnumf", {x, Number(least)}), Number(most)});
}

MlirValue Exponentials::Whole(MlirValue x) const {
  return Add(x, Number(kWhole));
}

MlirValue Exponentials::PowerOfTwo(MlirValue whole) const {
  const MlirValue n = bits_.Apply("arith.bitcast", {whole});
  const MlirValue biased = bits_.Apply("arith.addi", {n, bits_.Constant(1023)});
  return b_.Apply("arith.bitcast",
                  {bits_.Apply("arith.shli", {biased, bits_.Constant(52)})});
}

MlirValue Exponentials::Polynomial(
    MlirValue x, std::initializer_list<const char*> from_highest) const {
  MlirValue sum{nullptr};
  for (const char* number : from_highest) {
    sum = sum.ptr ? Add(Multiply(sum, x), Number(number)) : Number(number);
  }
  return sum;
}

MlirValue Exponentials::UnlessNan(MlirValue x, MlirValue value) const {
  return b_.Select(b_.Compare(ScalarBuilder::kUnordered, x, x), x, value);
}

MlirValue Exponentials::UnlessTiny(MlirValue x, MlirValue value) const {
  return b_.Select(b_.Compare(ScalarBuilder::kLess, b_.Apply("math.absf", {x}),
                              Number("1.0e-17")),
                   x, value);
}

Exponentials::Parts Exponentials::Split(MlirValue x) const {
  const MlirValue n = Subtract(Whole(Multiply(x, Number("1.4426950408889634"))),
                               Number(kWhole));
  // log(2) in two numbers; a product of n and the first one is exact.
  MlirValue r = Subtract(x, Multiply(n, Number("0.693145751953125")));
  r = Subtract(r, Multiply(n, Number("1.4286068203094172e-06")));
  const MlirValue square = Multiply(r, r);
  const MlirValue p =
      Multiply(r, Polynomial(square, {"1.2617719307481059e-04",
                                      "3.0299440770744196e-02", "1.0"}));
  const MlirValue q =
      Polynomial(square, {"3.0019850513866446e-06", "2.5244834034968410e-03",
                          "2.2726554820815503e-01", "2.0"});
  const MlirValue half = b_.Apply("arith.divf", {p, Subtract(q, p)});
  return {n, Add(half, half)};
}

MlirValue Exponentials::Scaled(MlirValue x, MlirValue n) const {
  const MlirValue half = Whole(Multiply(n, Number("0.5")));
  const MlirValue rest = Whole(Subtract(n, Subtract(half, Number(kWhole))));
  return Multiply(Multiply(x, PowerOfTwo(half)), PowerOfTwo(rest));
}

MlirValue Exponentials::Exp(MlirValue x) const {
  const auto [n, grown] = Split(Clamped(x, "-750.0", "710.0"));
  return UnlessNan(x, Scaled(Add(grown, Number("1.0")), n));
}

// 2 ** n (exp(r) - 1 + 1 - 2 ** -n)
MlirValue Exponentials::Expm1(MlirValue x) const {
  const auto [n, grown] = Split(Clamped(x, "-50.0", "710.0"));
  const MlirValue most = b_.Apply("arith.minnumf", {n, Number("1000.0")});
  const MlirValue inverse = PowerOfTwo(Subtract(Number(kWhole), most));
  const MlirValue sum = Add(grown, Subtract(Number("1.0"), inverse));
  return UnlessNan(x, UnlessTiny(x, Scaled(sum, n)));
}

// Of e = exp(2 |x|) - 1: e / (e + 2)
MlirValue Exponentials::Tanh(MlirValue x) const {
  const MlirValue size = b_.Apply("math.absf", {x});
  const MlirValue e =
      Expm1(b_.Apply("arith.minimumf", {Add(size, size), Number("50.0")}));
  const MlirValue ratio = b_.Apply("arith.divf", {e, Add(e, Number("2.0"))});
  return b_.Apply("math.copysign", {ratio, x});
}

}  // namespace iree_pjrt
