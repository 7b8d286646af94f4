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

// log2(m) = s P(s^2) of s = (m - 1) / (m + 1), and 2 ** f: their series, as far
// as float32 needs them.
constexpr std::array<const char*, 7> kLog2 = {
    "2.2195308321368670e-01", "2.6230818925253879e-01",
    "3.2059889797532520e-01", "4.1219858311113244e-01",
    "5.7707801635558531e-01", "9.6179669392597567e-01",
    "2.8853900817779268e+00"};
constexpr std::array<const char*, 9> kExp2 = {
    "1.3215486790144305e-06", "1.5252733804059838e-05",
    "1.5403530393381606e-04", "1.3333558146428441e-03",
    "9.6181291076284769e-03", "5.5504108664821576e-02",
    "2.4022650695910069e-01", "6.9314718055994529e-01",
    "1.0000000000000000e+00"};

// Added to the bits of m 2 ** k, m from sqrt(1/2) to sqrt(2): 1023 + k are the
// bits from 52 on.
constexpr int64_t kToExponent = 0x3FF0000000000000 - 0x3FE6A09E667F3BCD;

}  // namespace

MlirValue Exponentials::Clamped(MlirValue x, const char* least,
                                const char* most) const {
  const MlirValue raised = b_.Apply("arith.maxnumf", {x, b_.Constant(least)});
  return b_.Apply("arith.minnumf", {raised, b_.Constant(most)});
}

MlirValue Exponentials::PowerOfTwo(MlirValue whole) const {
  const MlirValue n = bits_.Bitcast(whole);
  const MlirValue biased = bits_.Apply("arith.addi", {n, bits_.Constant(1023)});
  return b_.Bitcast(bits_.Apply("arith.shli", {biased, bits_.Constant(52)}));
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

MlirValue Exponentials::Log2(MlirValue x) const {
  const MlirValue bits = bits_.Bitcast(x);
  const MlirValue biased = bits_.Apply(
      "arith.shrui",
      {bits_.Apply("arith.addi", {bits, bits_.Constant(kToExponent)}),
       bits_.Constant(52)});
  const MlirValue exponent = bits_.Apply(
      "arith.shli", {bits_.Apply("arith.subi", {biased, bits_.Constant(1023)}),
                     bits_.Constant(52)});
  const MlirValue m = b_.Bitcast(bits_.Apply("arith.subi", {bits, exponent}));
  const MlirValue whole = b_.Bitcast(bits_.Apply(
      "arith.addi", {biased, bits_.Bitcast(b_.Whole(b_.Constant("0.0")))}));
  const MlirValue k = b_.Subtract(b_.OfWhole(whole), b_.Constant("1023.0"));
  const MlirValue one = b_.Constant("1.0");
  const MlirValue s = b_.Divide(b_.Subtract(m, one), b_.Add(m, one));
  const MlirValue log =
      b_.Add(b_.Multiply(s, b_.Polynomial(b_.Multiply(s, s), kLog2)), k);
  const MlirValue infinity = b_.Constant("0x7FF0000000000000");
  const MlirValue finite =
      b_.Select(b_.Compare(ScalarBuilder::kLess, x, infinity), log, x);
  return b_.Select(b_.Compare(ScalarBuilder::kEqual, x, b_.Constant("0.0")),
                   b_.Constant("0xFFF0000000000000"), finite);
}

MlirValue Exponentials::Float32Power(MlirValue x, MlirValue y) const {
  const MlirValue exponent = b_.Multiply(y, Log2(x));
  const MlirValue near = Clamped(exponent, "-200.0", "200.0");
  const MlirValue whole = b_.Whole(near);
  const MlirValue rest = b_.Subtract(near, b_.OfWhole(whole));
  return UnlessNan(exponent,
                   b_.Multiply(b_.Polynomial(rest, kExp2), PowerOfTwo(whole)));
}

}  // namespace iree_pjrt
