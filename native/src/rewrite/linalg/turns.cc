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
  Angle(const Float64Builder& b, MlirValue x) : b_(b) {
    const MlirValue size = b.Apply("math.absf", {x});
    for (size_t i = 0; i < kLimits.size(); ++i) {
      below_.push_back(
          b.Compare(ScalarBuilder::kLess, size, b.Constant(kLimits[i])));
    }
    const MlirValue first = ModuloTurn(Times(x, 0));
    const MlirValue second = ModuloTurn(Times(x, 1));
    const MlirValue rest = b_.Add(Times(x, 2), Times(x, 3));
    const MlirValue quarters = b_.Round(b_.Add(first, second));
    const MlirValue within =
        b_.Add(b_.Add(b_.Subtract(first, quarters), second), rest);
    quarters_ = ModuloTurn(quarters);
    const MlirValue radians =
        b_.Multiply(within, b.Constant("1.5707963267948966"));
    const MlirValue square = b_.Multiply(radians, radians);
    sine_ = b_.Multiply(radians, b_.Polynomial(square, kSine));
    cosine_ = b_.Polynomial(square, kCosine);
  }

  MlirValue Sine() const { return At(quarters_); }
  MlirValue Cosine() const {
    return At(ModuloTurn(b_.Add(quarters_, b_.Constant("1.0"))));
  }

 private:
  // Quarters from -2 to 2.
  MlirValue ModuloTurn(MlirValue quarters) const {
    const MlirValue turns =
        b_.Round(b_.Multiply(quarters, b_.Constant("0.25")));
    return b_.Subtract(quarters, b_.Multiply(turns, b_.Constant("4.0")));
  }
  // The product with the i-th chunk that is not left out.
  MlirValue Times(MlirValue x, size_t i) const {
    MlirValue chunk = b_.Constant(kChunks[i + kLimits.size()]);
    for (size_t k = kLimits.size(); k-- > 0;) {
      chunk = b_.Select(below_[k], b_.Constant(kChunks[i + k]), chunk);
    }
    return b_.Multiply(x, chunk);
  }
  // The sine after so many more quarters, -2 to 2. 0: s, 1: c, -1: -c, 2 and
  // -2: -s.
  MlirValue At(MlirValue quarters) const {
    const MlirValue size = b_.Apply("math.absf", {quarters});
    const MlirValue one = b_.Constant("1.0");
    const MlirValue odd = b_.Compare(ScalarBuilder::kEqual, size, one);
    return b_.Select(odd, b_.Multiply(quarters, cosine_),
                     b_.Multiply(b_.Subtract(one, size), sine_));
  }

  const Float64Builder& b_;
  std::vector<MlirValue> below_;
  MlirValue quarters_;
  MlirValue sine_;
  MlirValue cosine_;
};

}  // namespace

MlirValue MakeTurn(const Float64Builder& b, Turn turn, MlirValue x) {
  const Angle angle(b, x);
  if (turn == Turn::kSine) return angle.Sine();
  if (turn == Turn::kCosine) return angle.Cosine();
  return b.Divide(angle.Sine(), angle.Cosine());
}

}  // namespace iree_pjrt
