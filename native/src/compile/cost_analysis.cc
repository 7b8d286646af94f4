// SPDX-License-Identifier: Apache-2.0
#include "compile/cost_analysis.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/status.h"
#include "mlir/array_type.h"
#include "mlir/convolution.h"
#include "mlir/stablehlo_names.h"

namespace iree_pjrt {
namespace {

using Names = std::unordered_set<std::string_view>;

const Names& Transcendentals() {
  static const auto& names = *new Names{"atan2",    "cbrt",
                                        "cosine",   "exponential",
                                        "log",      "log_plus_one",
                                        "logistic", "power",
                                        "rsqrt",    "sine",
                                        "sqrt",     "tan",
                                        "tanh",     "exponential_minus_one"};
  return names;
}

// Operations that compute one number for each element of the result.
const Names& Elementwise() {
  static const auto& names = *new Names{"abs",
                                        "add",
                                        "and",
                                        "ceil",
                                        "clamp",
                                        "compare",
                                        "convert",
                                        "count_leading_zeros",
                                        "divide",
                                        "floor",
                                        "is_finite",
                                        "maximum",
                                        "minimum",
                                        "multiply",
                                        "negate",
                                        "not",
                                        "or",
                                        "popcnt",
                                        "remainder",
                                        "round_nearest_afz",
                                        "select",
                                        "shift_left",
                                        "sign",
                                        "round_nearest_even",
                                        "subtract",
                                        "xor",
                                        "complex",
                                        "shift_right_arithmetic",
                                        "imag",
                                        "real",
                                        "rng",
                                        "shift_right_logical",
                                        "reduce_precision",
                                        "rng_bit_generator"};
  return names;
}

const Names& MoveNothing() {
  static const auto& names = *new Names{"broadcast_in_dim",
                                        "constant",
                                        "func",
                                        "reshape",
                                        "return",
                                        "tuple",
                                        "iota",
                                        "composite",
                                        "call",
                                        "while",
                                        "case",
                                        "if",
                                        "get_tuple_element",
                                        "optimization_barrier"};
  return names;
}

// The numbers of the list that follows `key`: `[1, 2]`, `dense<1>`.
std::vector<int64_t> Numbers(std::string_view text, std::string_view key = {}) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  const size_t begin =
      text.find_first_of("[<", text.find("dense", at) == std::string_view::npos
                                   ? at
                                   : text.find("dense", at));
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, text.find_first_of("]>", begin + 1) - begin);
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < text.size();) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    int64_t number = 0;
    const auto parsed =
        std::from_chars(text.data() + i, text.data() + text.size(), number);
    numbers.push_back(number);
    i = static_cast<size_t>(parsed.ptr - text.data());
  }
  return numbers;
}

class Analyzer {
 public:
  explicit Analyzer(const Ir& ir) : ir_(ir) {}

  CostAnalysis OfFunction(MlirOperation function) {
    return function.ptr ? OfRegion(function, 0) : CostAnalysis();
  }

 private:
  static constexpr int kMaxDepth = 32;

  CostAnalysis OfRegion(MlirOperation op, intptr_t index) {
    CostAnalysis sum;
    if (index >= ir_.api.mlirOperationGetNumRegions(op)) return sum;
    const MlirBlock block = ir_.api.mlirRegionGetFirstBlock(
        ir_.api.mlirOperationGetRegion(op, index));
    if (!block.ptr) return sum;
    for (MlirOperation inner = ir_.api.mlirBlockGetFirstOperation(block);
         inner.ptr; inner = ir_.api.mlirOperationGetNextInBlock(inner)) {
      Add(sum, OfOperation(inner), 1);
    }
    return sum;
  }

  CostAnalysis OfOperation(MlirOperation op) {
    const std::string_view full = ir_.Name(op);
    const std::string_view name =
        full == "func.call" ? "call" : StablehloName(full);
    CostAnalysis cost;
    if (name.empty()) return cost;
    if (!MoveNothing().contains(name)) cost.bytes_accessed = Bytes(op);
    if (Elementwise().contains(name)) {
      cost.flops = ResultElements(op);
    } else if (Transcendentals().contains(name)) {
      cost.transcendentals = ResultElements(op);
    } else if (name == "call" || name == "composite") {
      Add(cost, OfCallee(op, name == "call" ? "callee" : "decomposition"), 1);
    } else if (name == "while") {
      Add(cost, OfRegion(op, 0), 1);
      Add(cost, OfRegion(op, 1), 1);
    } else if (name == "case" || name == "if") {
      Add(cost, OfCostliestRegion(op), 1);
    } else {
      Add(cost, OfReduction(op, name), 1);
      cost.flops += Contraction(op, name);
    }
    return cost;
  }

  CostAnalysis OfCallee(MlirOperation op, std::string_view attribute) {
    if (depth_ >= kMaxDepth) return {};
    ++depth_;
    CostAnalysis cost =
        OfFunction(ir_.Function(ir_.StringAttribute(op, attribute)));
    --depth_;
    return cost;
  }

  CostAnalysis OfCostliestRegion(MlirOperation op) {
    CostAnalysis most;
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumRegions(op); ++i) {
      const CostAnalysis one = OfRegion(op, i);
      most.flops = std::max(most.flops, one.flops);
      most.transcendentals =
          std::max(most.transcendentals, one.transcendentals);
      most.bytes_accessed = std::max(most.bytes_accessed, one.bytes_accessed);
    }
    return most;
  }

  // The body runs on scalars, once for each element that is taken in.
  CostAnalysis OfReduction(MlirOperation op, std::string_view name) {
    double times = 0;
    if (name == "reduce") {
      times = Elements(Operand(op, 0)) - Elements(Result(op, 0));
    } else if (name == "reduce_window") {
      double window = 1;
      const std::string text =
          ir_.Print(ir_.Attribute(op, "window_dimensions"));
      for (int64_t size : Numbers(text)) window *= static_cast<double>(size);
      times = Elements(Result(op, 0)) * (window - 1);
    } else if (name == "map") {
      times = Elements(Result(op, 0));
    } else if (name == "scatter") {
      times = Elements(Operand(op, ir_.Operands(op).size() - 1));
    } else if (name == "select_and_scatter") {
      times = Elements(Operand(op, 0)) + Elements(Operand(op, 1));
    } else if (name == "sort") {
      const double elements = Elements(Operand(op, 0));
      times = elements * std::ceil(std::log2(std::max(elements, 1.0)));
    }
    CostAnalysis cost;
    if (times <= 0) return cost;
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumRegions(op); ++i) {
      CostAnalysis body = OfRegion(op, i);
      body.bytes_accessed = 0;  // between registers
      Add(cost, body, times);
    }
    return cost;
  }

  double Contraction(MlirOperation op, std::string_view name) {
    if (name == "dot_general" || name == "dot") {
      return 2 * Elements(Result(op, 0)) * ContractedElements(op, name);
    }
    if (name == "convolution") {
      const double outputs = KernelOutputs(op);
      return 2 * Elements(Result(op, 0)) * Elements(Operand(op, 1)) /
             std::max(outputs, 1.0);
    }
    if (name == "fft") {
      double length = 1;
      const std::string text = ir_.Print(ir_.Attribute(op, "fft_length"));
      for (int64_t size : Numbers(text)) length *= static_cast<double>(size);
      return 5 * Elements(Operand(op, 0)) * std::log2(std::max(length, 1.0));
    }
    const auto last = [](const std::vector<int64_t>& dims) {
      return dims.empty() ? 1.0 : static_cast<double>(dims.back());
    };
    if (name == "cholesky") {
      const Shape& a = ShapeOf(Operand(op, 0));
      return Elements(Operand(op, 0)) * last(a.dims) / 3;
    }
    if (name == "triangular_solve") {
      const Shape& a = ShapeOf(Operand(op, 0));
      return Elements(Operand(op, 1)) * last(a.dims);
    }
    return 0;
  }

  double ContractedElements(MlirOperation op, std::string_view name) {
    const std::vector<int64_t>& dims = ShapeOf(Operand(op, 0)).dims;
    if (name == "dot") {
      return dims.empty() ? 1 : static_cast<double>(dims.back());
    }
    constexpr char kKey[] = "lhs_contracting_dimensions";
    MlirAttribute attribute = ir_.Attribute(op, kKey);  // VHLO
    const bool vhlo = attribute.ptr != nullptr;
    if (!vhlo) attribute = ir_.Attribute(op, "dot_dimension_numbers");
    const std::string text = ir_.Print(attribute);
    double contracted = 1;
    for (int64_t dim : Numbers(text, vhlo ? std::string_view() : kKey)) {
      if (static_cast<size_t>(dim) < dims.size()) {
        contracted *= static_cast<double>(dims[dim]);
      }
    }
    return contracted;
  }

  // Size of the kernel's dimension of output features.
  double KernelOutputs(MlirOperation op) {
    const std::vector<int64_t>& dims = ShapeOf(Operand(op, 1)).dims;
    const Dims kernel = ReadConvolution(ir_, op, dims.size()).kernel;
    const int64_t dim = kernel.empty() ? 0 : kernel.back();
    return static_cast<size_t>(dim) < dims.size()
               ? static_cast<double>(dims[dim])
               : 1;
  }

  static void Add(CostAnalysis& sum, const CostAnalysis& one, double times) {
    sum.flops += times * one.flops;
    sum.transcendentals += times * one.transcendentals;
    sum.bytes_accessed += times * one.bytes_accessed;
  }

  MlirValue Operand(MlirOperation op, size_t index) const {
    return ir_.api.mlirOperationGetOperand(op, static_cast<intptr_t>(index));
  }
  MlirValue Result(MlirOperation op, size_t index) const {
    return ir_.api.mlirOperationGetResult(op, static_cast<intptr_t>(index));
  }

  double ResultElements(MlirOperation op) {
    double elements = 0;
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumResults(op); ++i) {
      elements += Elements(Result(op, static_cast<size_t>(i)));
    }
    return elements;
  }

  double Bytes(MlirOperation op) {
    double bytes = 0;
    const auto add = [&](MlirValue value) {
      const Shape& shape = ShapeOf(value);
      if (shape.type) bytes += static_cast<double>(shape.byte_size());
    };
    for (MlirValue operand : ir_.Operands(op)) add(operand);
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumResults(op); ++i) {
      add(Result(op, static_cast<size_t>(i)));
    }
    return bytes;
  }

  double Elements(MlirValue value) {
    const Shape& shape = ShapeOf(value);
    return shape.type ? static_cast<double>(shape.element_count()) : 0;
  }

  // The shape of a tensor; one without a type for any other value (tokens,
  // tuples).
  const Shape& ShapeOf(MlirValue value) {
    const MlirType type = ir_.api.mlirValueGetType(value);
    const auto [entry, is_new] = shapes_.try_emplace(type.ptr);
    if (is_new) {
      try {
        entry->second = ReadShape(ir_, type);
      } catch (const Error&) {
        entry->second = {};
      }
    }
    return entry->second;
  }

  const Ir& ir_;
  std::unordered_map<const void*, Shape> shapes_;
  int depth_ = 0;
};

}  // namespace

CostAnalysis AnalyzeCost(const Ir& ir) {
  return Analyzer(ir).OfFunction(ir.Function("main"));
}

}  // namespace iree_pjrt
