// SPDX-License-Identifier: Apache-2.0
// The angle is taken modulo a full turn as M. Payne and R. Hanek do it: 2/pi is
// cut into chunks of 26 bits, so that products with 24 bits are exact, and the
// chunks whose product is a multiple of four quarter turns are left out. What
// remains, at most an eighth of a turn, goes through the Taylor series.
#include "rewrite/linalg/turns.h"

#include <array>

namespace iree_pjrt {
namespace {

// 2/pi; each one is the next 26 bits.
constexpr std::array<const char*, 7> kChunks = {
    "0.6366197615861893",     "1.0781392001391055e-08", "7.166494634684664e-17",
    "2.7653040292560713e-24", "1.0181664073134233e-32", "3.143654692300393e-40",
    "6.319121160070941e-48"};
// The limits of |x| from which one, two, three chunks are left out: 2 ** 51,
// 77, 103.
constexpr std::array<const char*, 3> kLimits = {
    "2251799813685248.0", "151115727451828646838272.0",
    "10141204801825835211973625643008.0"};
constexpr std::array<const char*, 5> kSine = {
    "2.7557319223985893e-06", "-1.9841269841269841e-04",
    "8.3333333333333332e-03", "-1.6666666666666666e-01", "1.0"};
constexpr std::array<const char*, 6> kCosine = {"-2.7557319223985888e-07",
                                                "2.4801587301587302e-05",
                                                "-1.3888888888888889e-03",
                                                "4.1666666666666664e-02",
                                                "-5.0e-01",
                                                "1.0"};

class Angle {
 public:
  Angle(const ScalarBuilder& b, MlirValue x) : b_(b) {
    const MlirValue size = b.Apply("math.absf", {x});
    for (size_t i = 0; i < kLimits.size(); ++i) {
      below_.push_back(
          b.Compare(ScalarBuilder::kLess, size, b.Constant(kLimits[i])));
    }
    const MlirValue first = ModuloTurn(Times(x, 0));
    const MlirValue second = ModuloTurn(Times(x, 1));
    const MlirValue rest = Add(Times(x, 2), Times(x, 3));
    const MlirValue quarters = Round(Add(first, second));
    const MlirValue within = Add(Add(Subtract(first, quarters), second), rest);
    quarters_ = ModuloTurn(quarters);
    const MlirValue radians =
        Multiply(within, b.Constant("1.5707963267948966"));
    const MlirValue square = Multiply(radians, radians);
    sine_ = Multiply(radians, Series(kSine, square));
    cosine_ = Series(kCosine, square);
  }

  MlirValue Sine() const { return At(quarters_); }
  MlirValue Cosine() const {
    return At(ModuloTurn(Add(quarters_, b_.Constant("1.0"))));
  }

 private:
  MlirValue Add(MlirValue x, MlirValue y) const {
    return b_.Apply("arith.addf", {x, y});
  }
  MlirValue Subtract(MlirValue x, MlirValue y) const {
    return b_.Apply("arith.subf", {x, y});
  }
  MlirValue Multiply(MlirValue x, MlirValue y) const {
    return b_.Apply("arith.mulf", {x, y});
  }
  // Rounds to an integer, for |x| < 2 ** 51: added to 1.5 * 2 ** 52, x has no
  // fraction.
  MlirValue Round(MlirValue x) const {
    const MlirValue shift = b_.Constant("6755399441055744.0");
    return Subtract(Add(x, shift), shift);
  }
  // Quarters from -2 to 2.
  MlirValue ModuloTurn(MlirValue quarters) const {
    const MlirValue turns = Round(Multiply(quarters, b_.Constant("0.25")));
    return Subtract(quarters, Multiply(turns, b_.Constant("4.0")));
  }
  // The product with the i-th chunk that is not left out.
  MlirValue Times(MlirValue x, size_t i) const {
    MlirValue chunk = b_.Constant(kChunks[i + kLimits.size()]);
    for (size_t k = kLimits.size(); k-- > 0;) {
      chunk = b_.Select(below_[k], b_.Constant(kChunks[i + k]), chunk);
    }
    return Multiply(x, chunk);
  }
  template <size_t n>
  MlirValue Series(const std::array<const char*, n>& factors,
                   MlirValue x) const {
    MlirValue sum = b_.Constant(factors[0]);
    for (size_t i = 1; i < n; ++i) {
      sum = Add(Multiply(sum, x), b_.Constant(factors[i]));
    }
    return sum;
  }
  // The sine after so many more quarters, -2 to 2. 0: s, 1: c, -1: -c, 2 and
  // -2: -s.
  MlirValue At(MlirValue quarters) const {
    const MlirValue size = b_.Apply("math.absf", {quarters});
    const MlirValue one = b_.Constant("1.0");
    const MlirValue odd = b_.Compare(ScalarBuilder::kEqual, size, one);
    return b_.Select(odd, Multiply(quarters, cosine_),
                     Multiply(Subtract(one, size), sine_));
  }

  const ScalarBuilder& b_;
  std::vector<MlirValue> below_;
  MlirValue quarters_;
  MlirValue sine_;
  MlirValue cosine_;
};

}  // namespace

MlirValue MakeTurn(const ScalarBuilder& b, Turn turn, MlirValue x) {
  const Angle angle(b, x);
  if (turn == Turn::kSine) return angle.Sine();
  if (turn == Turn::kCosine) return angle.Cosine();
  return b.Apply("arith.divf", {angle.Sine(), angle.Cosine()});
}

}  // namespace iree_pjrt
