// SPDX-License-Identifier: Apache-2.0
// Makes operations on scalars of float64 right before an operation.
#ifndef IREE_PJRT_MLIR_FLOAT64_BUILDER_H_
#define IREE_PJRT_MLIR_FLOAT64_BUILDER_H_

#include <span>

#include "mlir/scalar_builder.h"

namespace iree_pjrt {

class Float64Builder : public ScalarBuilder {
 public:
  Float64Builder(const Ir& ir, MlirOperation before)
      : ScalarBuilder(ir, before, ir.ParseType("f64")) {}

  MlirValue Add(MlirValue a, MlirValue b) const {
    return Apply("arith.addf", {a, b});
  }
  MlirValue Subtract(MlirValue a, MlirValue b) const {
    return Apply("arith.subf", {a, b});
  }
  MlirValue Multiply(MlirValue a, MlirValue b) const {
    return Apply("arith.mulf", {a, b});
  }
  MlirValue Divide(MlirValue a, MlirValue b) const {
    return Apply("arith.divf", {a, b});
  }

  // 1.5 * 2 ** 52 plus x, for |x| < 2 ** 51: it has no fraction, and x, rounded
  // to a whole number, as its last bits.
  MlirValue Whole(MlirValue x) const { return Add(x, Constant(kWhole)); }
  // x of what Whole gave.
  MlirValue OfWhole(MlirValue whole) const {
    return Subtract(whole, Constant(kWhole));
  }
  MlirValue Round(MlirValue x) const { return OfWhole(Whole(x)); }

  MlirValue Polynomial(MlirValue x,
                       std::span<const char* const> from_highest) const {
    MlirValue sum = Constant(from_highest[0]);
    for (const char* factor : from_highest.subspan(1)) {
      sum = Add(Multiply(sum, x), Constant(factor));
    }
    return sum;
  }

 protected:
  static constexpr const char* kWhole = "6755399441055744.0";
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_FLOAT64_BUILDER_H_
