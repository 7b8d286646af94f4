// SPDX-License-Identifier: Apache-2.0
#include "compile/tuning.h"

#include <algorithm>
#include <cmath>

#include "ffi/foreign_call.h"
#include "mlir/attributes.h"
#include "mlir/generics.h"

namespace iree_pjrt {
namespace {

// Rates of one core, as a guess.
constexpr double kMultiplyAddsPerMicrosecond = 30e3;
constexpr double kElementOpsPerMicrosecond = 4e3;
constexpr double kMicrosecondsPerOperation = 0.3;
// Weights, in element operations.
constexpr double kTranscendental = 10;
constexpr double kSortOrScatter = 50;
// The uses of each element from which packing a contraction pays.
constexpr double kReusesFrom = 64;
// The same of the largest array of a product.
constexpr double kReusesOfProduct = 16;
// The guessed trips of loops whose bounds are no constants.
constexpr double kGuessedTrips = 100;

class Estimator {
 public:
  explicit Estimator(const Ir& ir) : ir_(ir) {}

  Cost Of(MlirOperation function) {
    Add(function, 1);
    return cost_;
  }

 private:
  // Adds everything inside `op`, which runs `times` times.
  void Add(MlirOperation op, double times) {
    for (const MlirBlock block : ir_.Blocks(op)) {
      for (const MlirOperation inner : ir_.OperationsOf(block)) {
        AddOne(inner, times);
      }
    }
  }

  void AddOne(MlirOperation op, double times) {
    const std::string_view name = ir_.Name(op);
    if (name.starts_with("linalg.")) {
      AddLinalg(op, name, times);
    } else if (name.starts_with("iree_linalg_ext.")) {
      AddElements(LargestTensor(op) * kSortOrScatter, times);
    } else if (name == "scf.while") {
      cost_.bounded = false;
      Add(op, times * kGuessedTrips);
    } else if (name == "scf.for") {
      Add(op, times * Trips(op));
    } else if (name.starts_with("scf.") && name != "scf.yield" &&
               name != "scf.condition") {
      Add(op, times);
    } else if (name.ends_with(".call")) {
      AddCall(op, times);
    } else if (name.starts_with("tensor.") && name != "tensor.empty") {
      AddElements(LargestTensor(op), times);
    }
  }

  void AddElements(double element_operations, double times) {
    AddTime(element_operations / kElementOpsPerMicrosecond, times);
  }

  void AddTime(double microseconds, double times) {
    cost_.microseconds += times * (kMicrosecondsPerOperation + microseconds);
  }

  void AddLinalg(MlirOperation op, std::string_view name, double times) {
    const bool convolution = name.find("conv") != std::string_view::npos;
    const bool product =
        name.find("mat") != std::string_view::npos || name == "linalg.dot";
    if (convolution || product || IsContraction(ir_, op)) {
      const double multiply_adds = AddContraction(op, times);
      if (!convolution) AddProduct(op, multiply_adds);
    } else {
      AddElements(LargestTensor(op) * (IsGeneric(ir_, op) ? BodyWeight(op) : 1),
                  times);
    }
  }

  void AddProduct(MlirOperation op, double multiply_adds) {
    cost_.product = std::max(cost_.product, multiply_adds);
    const MlirType type = ir_.api.mlirValueGetType(ir_.Operands(op)[0]);
    if (ir_.api.mlirTypeIsAInteger(
            ir_.api.mlirShapedTypeGetElementType(type))) {
      cost_.integer_product = std::max(cost_.integer_product, multiply_adds);
    }
    if (multiply_adds >= kReusesOfProduct * LargestTensor(op)) {
      cost_.reused_product = std::max(cost_.reused_product, multiply_adds);
    }
  }

  // The multiply-adds m·n·k are the square root of the three arrays' sizes
  // mk·kn·mn.
  double AddContraction(MlirOperation op, double times) {
    double product = 1;
    double elements = 0;
    for (MlirValue operand : ir_.Operands(op)) {
      product *= std::max(1.0, Elements(operand));
      elements += Elements(operand);
    }
    const double multiply_adds = std::sqrt(product);
    if (multiply_adds > kReusesFrom * elements) {
      cost_.contraction = std::max(cost_.contraction, multiply_adds);
    }
    AddTime(multiply_adds / kMultiplyAddsPerMicrosecond, times);
    return multiply_adds;
  }

  // Operations for each element.
  double BodyWeight(MlirOperation op) const {
    double weight = 0;
    const MlirBlock body = ir_.Body(op);
    for (MlirOperation inner = ir_.api.mlirBlockGetFirstOperation(body);
         inner.ptr; inner = ir_.api.mlirOperationGetNextInBlock(inner)) {
      weight += ir_.Name(inner).starts_with("math.") ? kTranscendental : 1;
    }
    return weight;
  }

  double Trips(MlirOperation loop) {
    // Operands: lower bound, upper bound, step, what is carried.
    double bounds[3];
    for (intptr_t i = 0; i < 3; ++i) {
      const MlirValue value = ir_.api.mlirOperationGetOperand(loop, i);
      const MlirOperation constant = ir_.Definition(value);
      if (!constant.ptr || ir_.Name(constant) != "arith.constant") {
        cost_.bounded = false;
        return kGuessedTrips;
      }
      bounds[i] = static_cast<double>(
          ReadInteger(ir_, ir_.Attribute(constant, "value")));
    }
    return std::max(0.0, (bounds[1] - bounds[0]) / std::max(1.0, bounds[2]));
  }

  void AddCall(MlirOperation op, double times) {
    const std::string name = ir_.StringAttribute(op, "callee");
    // How long a handler takes is not known.
    if (name.starts_with(kForeignModule)) cost_.bounded = false;
    const MlirOperation callee = ir_.Function(name);
    // Recursion does not exist in JAX's programs; deep nests end somewhere.
    if (!callee.ptr || depth_ > kMaxDepth) return;
    ++depth_;
    Add(callee, times);
    --depth_;
  }

  double Elements(MlirValue value) const {
    const MlirType type = ir_.api.mlirValueGetType(value);
    if (!ir_.api.mlirTypeIsAShaped(type) ||
        !ir_.api.mlirShapedTypeHasStaticShape(type)) {
      return 1;
    }
    double elements = 1;
    for (intptr_t i = 0; i < ir_.api.mlirShapedTypeGetRank(type); ++i) {
      elements *=
          static_cast<double>(ir_.api.mlirShapedTypeGetDimSize(type, i));
    }
    return elements;
  }

  double LargestTensor(MlirOperation op) const {
    double largest = 1;
    for (MlirValue operand : ir_.Operands(op)) {
      largest = std::max(largest, Elements(operand));
    }
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumResults(op); ++i) {
      largest =
          std::max(largest, Elements(ir_.api.mlirOperationGetResult(op, i)));
    }
    return largest;
  }

  static constexpr int kMaxDepth = 16;

  const Ir& ir_;
  Cost cost_;
  int depth_ = 0;
};

}  // namespace

Cost EstimateCost(const Ir& ir) {
  return Estimator(ir).Of(ir.Function("main"));
}

}  // namespace iree_pjrt
