// SPDX-License-Identifier: Apache-2.0
// Exponential functions of float64, of operations that become vectors: exp is
// off by at most 2 units in the last place, the others by 5 (S. Moshier's
// approximation of exp, from Cephes). Powers are for float32.
#ifndef IREE_PJRT_REWRITE_LINALG_EXPONENTIALS_H_
#define IREE_PJRT_REWRITE_LINALG_EXPONENTIALS_H_

#include "mlir/float64_builder.h"

namespace iree_pjrt {

class Exponentials {
 public:
  // Operations are made before `before`.
  Exponentials(const Ir& ir, MlirOperation before)
      : b_(ir, before), bits_(ir, before, ir.ParseType("i64")) {}

  MlirValue Exp(MlirValue x) const;
  MlirValue Expm1(MlirValue x) const;
  MlirValue Tanh(MlirValue x) const;
  // x ** y of float32, for x that are not negative; NaN where y * log(x) is.
  // Off by some 2 ** -30 of it; what float32 does not hold is infinite or zero.
  MlirValue Float32Power(MlirValue x, MlirValue y) const;

 private:
  // x = n log(2) + r, where n is whole and |r| at most log(2) / 2.
  struct Parts {
    MlirValue n;
    MlirValue grown;  // exp(r) - 1
  };

  Parts Split(MlirValue x) const;
  // Of x of float32 that are not negative.
  MlirValue Log2(MlirValue x) const;
  MlirValue Clamped(MlirValue x, const char* least, const char* most) const;
  // 2 ** n of what Whole makes of n, from -1022 to 1023.
  MlirValue PowerOfTwo(MlirValue whole) const;
  // x 2 ** n, where that factor may be too large, or too small.
  MlirValue Scaled(MlirValue x, MlirValue n) const;
  // x where it is NaN, or nearly zero, and `value` elsewhere.
  MlirValue UnlessNan(MlirValue x, MlirValue value) const;
  MlirValue UnlessTiny(MlirValue x, MlirValue value) const;

  const Float64Builder b_;
  const ScalarBuilder bits_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LINALG_EXPONENTIALS_H_
