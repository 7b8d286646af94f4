// SPDX-License-Identifier: Apache-2.0
#include "rewrite/linalg/exponentials.h"

#include <array>

namespace iree_pjrt {
namespace {

// exp(r) = 1 + 2 r P(r^2) / (Q(r^2) - r P(r^2))
constexpr std::array<const char*, 3> kExpP = {"1.2617719307481059e-04",
                                              "3.0299440770744196e-02", "1.0"};
constexpr std::array<const char*, 4> kExpQ = {"3.0019850513866446e-06",
                                              "2.5244834034968410e-03",
                                              "2.2726554820815503e-01", "2.0"};

}  // namespace

MlirValue Exponentials::Clamped(MlirValue x, const char* least,
                                const char* most) const {
  const MlirValue raised = b_.Apply("arith.maxnumf", {x, b_.Constant(least)});
  return b_.Apply("arith.minnumf", {raised, b_.Constant(most)});
}

MlirValue Exponentials::PowerOfTwo(MlirValue whole) const {
  const MlirValue n = bits_.Apply("arith.bitcast", {whole});
  const MlirValue biased = bits_.Apply("arith.addi", {n, bits_.Constant(1023)});
  return b_.Apply("arith.bitcast",
                  {bits_.Apply("arith.shli", {biased, bits_.Constant(52)})});
}

MlirValue Exponentials::UnlessNan(MlirValue x, MlirValue value) const {
  return b_.Select(b_.Compare(ScalarBuilder::kUnordered, x, x), x, value);
}

MlirValue Exponentials::UnlessTiny(MlirValue x, MlirValue value) const {
  return b_.Select(b_.Compare(ScalarBuilder::kLess, b_.Apply("math.absf", {x}),
                              b_.Constant("1.0e-17")),
                   x, value);
}

Exponentials::Parts Exponentials::Split(MlirValue x) const {
  const MlirValue n =
      b_.Round(b_.Multiply(x, b_.Constant("1.4426950408889634")));
  // log(2) in two numbers; a product of n and the first one is exact.
  MlirValue r =
      b_.Subtract(x, b_.Multiply(n, b_.Constant("0.693145751953125")));
  r = b_.Subtract(r, b_.Multiply(n, b_.Constant("1.4286068203094172e-06")));
  const MlirValue square = b_.Multiply(r, r);
  const MlirValue p = b_.Multiply(r, b_.Polynomial(square, kExpP));
  const MlirValue q = b_.Polynomial(square, kExpQ);
  const MlirValue half = b_.Divide(p, b_.Subtract(q, p));
  return {n, b_.Add(half, half)};
}

MlirValue Exponentials::Scaled(MlirValue x, MlirValue n) const {
  const MlirValue half = b_.Whole(b_.Multiply(n, b_.Constant("0.5")));
  const MlirValue rest = b_.Whole(b_.Subtract(n, b_.OfWhole(half)));
  return b_.Multiply(b_.Multiply(x, PowerOfTwo(half)), PowerOfTwo(rest));
}

MlirValue Exponentials::Exp(MlirValue x) const {
  const auto [n, grown] = Split(Clamped(x, "-750.0", "710.0"));
  return UnlessNan(x, Scaled(b_.Add(grown, b_.Constant("1.0")), n));
}

// 2 ** n (exp(r) - 1 + 1 - 2 ** -n)
MlirValue Exponentials::Expm1(MlirValue x) const {
  const auto [n, grown] = Split(Clamped(x, "-50.0", "710.0"));
  const MlirValue most = b_.Apply("arith.minnumf", {n, b_.Constant("1000.0")});
  const MlirValue inverse =
      PowerOfTwo(b_.Whole(b_.Apply("arith.negf", {most})));
  const MlirValue sum = b_.Add(grown, b_.Subtract(b_.Constant("1.0"), inverse));
  return UnlessNan(x, UnlessTiny(x, Scaled(sum, n)));
}

// Of e = exp(2 |x|) - 1: e / (e + 2)
MlirValue Exponentials::Tanh(MlirValue x) const {
  const MlirValue size = b_.Apply("math.absf", {x});
  const MlirValue e = Expm1(
      b_.Apply("arith.minimumf", {b_.Add(size, size), b_.Constant("50.0")}));
  const MlirValue ratio = b_.Divide(e, b_.Add(e, b_.Constant("2.0")));
  return b_.Apply("math.copysign", {ratio, x});
}

}  // namespace iree_pjrt
