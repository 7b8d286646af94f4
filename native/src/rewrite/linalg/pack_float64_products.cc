// SPDX-License-Identifier: Apache-2.0
// Large products of float64 matrices. IREE (3.11, 3.13) packs no float64: rows
// of 8 KB share few places of a cache, and 1024 cubed takes 31 ms with AVX-512,
// 71 with AVX2. The pass packs them as IREE does other types.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "mlir/scalar_builder.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

constexpr int64_t kRows = 8;
constexpr int64_t kColumns = 16;
// Of fewer a tile is partly empty, or packed for too little.
constexpr int64_t kLeast = 64;
constexpr int64_t kLeastMultiplications = 60'000'000;

std::string Type(const std::vector<int64_t>& shape) {
  std::string text = "tensor<";
  for (const int64_t dim : shape) text += std::to_string(dim) + "x";
  return text + "f64>";
}

int64_t Tiles(int64_t lines, int64_t tile) { return (lines + tile - 1) / tile; }

bool IsZeros(const Ir& ir, MlirValue array) {
  const MlirOperation fill = ir.Definition(array);
  if (!fill.ptr || ir.Name(fill) != "linalg.fill") return false;
  const MlirOperation number = ir.Definition(ir.Operands(fill).at(0));
  return number.ptr && ir.Name(number) == "arith.constant" &&
         ir.Print(ir.Attribute(number, "value")).starts_with("0.0");
}

class Packing {
 public:
  Packing(const Ir& ir, MlirOperation product) : ir_(ir), product_(product) {}

  void Pack(int64_t rows, int64_t depth, int64_t columns) const {
    const ScalarBuilder scalars(ir_, product_, ir_.ParseType("f64"));
    const MlirValue zero = scalars.Constant("0.0");
    const int64_t m = Tiles(rows, kRows);
    const int64_t n = Tiles(columns, kColumns);
    const std::vector<MlirValue> operands = ir_.Operands(product_);
    const MlirValue lhs =
        Packed(operands[0], zero, {m, depth, kRows, 1}, "0, 1");
    const MlirValue rhs =
        Packed(operands[1], zero, {n, depth, kColumns, 1}, "1, 0");
    const MlirValue sums = Multiplied(lhs, rhs, zero, {m, n, kRows, kColumns});
    const MlirType type = ir_.ResultTypes(product_).at(0);
    const MlirOperation unpacked =
        ir_.CreateBefore(product_, "linalg.unpack", {sums, Empty(type)}, {type},
                         Layout("0, 1", "0, 1", kRows, kColumns));
    ir_.Replace(product_, ir_.Results(unpacked));
  }

 private:
  MlirValue Empty(MlirType type) const {
    return ir_.Results(
        ir_.CreateBefore(product_, "tensor.empty", {}, {type}, {}))[0];
  }

  std::vector<MlirNamedAttribute> Layout(const std::string& outer,
                                         const std::string& inner,
                                         int64_t first, int64_t second) const {
    const auto list = [&](const std::string& numbers) {
      return ir_.Parse("array<i64: " + numbers + ">");
    };
    return {ir_.Named("outer_dims_perm", list(outer)),
            ir_.Named("inner_dims_pos", list(inner)),
            ir_.Named("static_inner_tiles", list(std::to_string(first) + ", " +
                                                 std::to_string(second)))};
  }

  // `order`: 0, 1 for rows first; 1, 0 for columns.
  MlirValue Packed(MlirValue matrix, MlirValue zero,
                   const std::vector<int64_t>& shape,
                   const std::string& order) const {
    const MlirType type = ir_.ParseType(Type(shape));
    std::vector<MlirNamedAttribute> attributes =
        Layout(order, order, shape[2], shape[3]);
    attributes.push_back(
        ir_.Named("operandSegmentSizes", ir_.Parse("array<i32: 1, 1, 1, 0>")));
    return ir_.Results(ir_.CreateBefore(product_, "linalg.pack",
                                        {matrix, Empty(type), zero}, {type},
                                        attributes))[0];
  }

  MlirValue Multiplied(MlirValue lhs, MlirValue rhs, MlirValue zero,
                       const std::vector<int64_t>& shape) const {
    const MlirType type = ir_.ParseType(Type(shape));
    const MlirValue zeros =
        ir_.Results(MakeElementwise(ir_, product_, "", zero, Empty(type)))[0];
    const MlirOperation sums = ir_.CreateBefore(
        product_, "linalg.mmt4d", {lhs, rhs, zeros}, {type},
        {ir_.Named("operandSegmentSizes", ir_.Parse("array<i32: 2, 1>"))}, 1);
    const MlirBlock body = AddElementBody(ir_, sums);
    const auto argument = [&](intptr_t i) {
      return ir_.api.mlirBlockGetArgument(body, i);
    };
    const auto append = [&](std::string_view name, MlirValue a, MlirValue b) {
      return ir_.Results(
          ir_.AppendTo(body, ir_.api.mlirOperationGetLocation(sums), name,
                       {a, b}, {ir_.api.mlirValueGetType(a)}))[0];
    };
    const MlirValue sum =
        append("arith.addf", argument(2),
               append("arith.mulf", argument(0), argument(1)));
    ir_.AppendTo(body, ir_.api.mlirOperationGetLocation(sums), "linalg.yield",
                 {sum});
    return ir_.Results(sums)[0];
  }

  const Ir& ir_;
  const MlirOperation product_;
};

}  // namespace

void PackFloat64Products(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "linalg.matmul" || !IsZeros(ir, ir.Operands(op).back()))
      continue;
    const auto lhs = ArrayTypeOf(ir, ir.Operands(op).at(0));
    const auto result = ArrayTypeOf(ir, ir.ResultTypes(op).at(0));
    if (!lhs || !result || result->Element() != "f64") continue;
    const int64_t rows = result->shape.at(0);
    const int64_t columns = result->shape.at(1);
    const int64_t depth = lhs->shape.at(1);
    if (std::min({rows, columns, depth}) >= kLeast &&
        rows * columns * depth >= kLeastMultiplications) {
      Packing(ir, op).Pack(rows, depth, columns);
    }
  }
}

}  // namespace iree_pjrt
