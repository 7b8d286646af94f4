// SPDX-License-Identifier: Apache-2.0
// Makes operations on scalars of one type right before an operation.
// Lives shorter than the Ir that it is made from.
#ifndef IREE_PJRT_MLIR_SCALAR_BUILDER_H_
#define IREE_PJRT_MLIR_SCALAR_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

class ScalarBuilder {
 public:
  // Predicates of arith.cmpf
  static constexpr int kEqual = 1;
  static constexpr int kLess = 4;
  static constexpr int kUnordered = 14;
  static constexpr int kUnorderedNotEqual = 13;
  // Predicates of arith.cmpi
  static constexpr int kIntegersEqual = 0;
  static constexpr int kUnsignedLess = 6;

  ScalarBuilder(const Ir& ir, MlirOperation before, MlirType type)
      : ir_(ir),
        before_(before),
        type_(type),
        i1_(ir.api.mlirIntegerTypeGet(ir.context, 1)) {}
  // The type is that of the first operand of `before`.
  ScalarBuilder(const Ir& ir, MlirOperation before)
      : ScalarBuilder(ir, before,
                      ir.api.mlirValueGetType(
                          ir.api.mlirOperationGetOperand(before, 0))) {}

  MlirValue Constant(std::string_view text) const {
    const std::string typed = std::string(text) + " : " + ir_.Print(type_);
    return Make("arith.constant", {}, type_,
                {ir_.Named("value", ir_.Parse(typed))});
  }
  MlirValue Constant(int64_t number) const {
    return Constant(std::to_string(number));
  }
  MlirValue Apply(std::string_view name,
                  const std::vector<MlirValue>& operands) const {
    return Make(name, operands, type_, {});
  }
  // The bits of a value of another type of this width; of this type, itself.
  MlirValue Bitcast(MlirValue value) const {
    if (ir_.api.mlirTypeEqual(ir_.api.mlirValueGetType(value), type_)) {
      return value;
    }
    return Apply("arith.bitcast", {value});
  }
  MlirValue Compare(int predicate, MlirValue a, MlirValue b) const {
    const std::string typed = std::to_string(predicate) + " : i64";
    const bool integers =
        ir_.api.mlirTypeIsAInteger(type_) || ir_.api.mlirTypeIsAIndex(type_);
    return Make(integers ? "arith.cmpi" : "arith.cmpf", {a, b}, i1_,
                {ir_.Named("predicate", ir_.Parse(typed))});
  }
  MlirValue IntegersEqual(MlirValue a, MlirValue b) const {
    return Compare(kIntegersEqual, a, b);
  }
  MlirValue UnsignedLess(MlirValue a, MlirValue b) const {
    return Compare(kUnsignedLess, a, b);
  }
  MlirValue Select(MlirValue condition, MlirValue yes, MlirValue no) const {
    return Apply("arith.select", {condition, yes, no});
  }

 private:
  MlirValue Make(std::string_view name, const std::vector<MlirValue>& operands,
                 MlirType type,
                 const std::vector<MlirNamedAttribute>& attributes) const {
    return ir_.api.mlirOperationGetResult(
        ir_.CreateBefore(before_, name, operands, {type}, attributes), 0);
  }

  const Ir& ir_;
  const MlirOperation before_;
  const MlirType type_;
  const MlirType i1_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_SCALAR_BUILDER_H_
