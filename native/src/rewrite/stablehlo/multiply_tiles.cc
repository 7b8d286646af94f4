// SPDX-License-Identifier: Apache-2.0
// Large products of 8-bit integers, and of bfloat16 that are added up in
// float32, where the processor has AMX. IREE (3.11, 3.13) knows nothing of its
// tiles: 1024 cubed of integers in 6.5 ms with its microkernels, of bfloat16 in
// 10. The pass calls a handler on the host (ffi/tile_product.h). Smaller
// products stay with IREE, which fuses what comes after them.
#include <algorithm>
#include <string>

#include "ffi/tile_product.h"
#include "mlir/array_type.h"
#include "mlir/dimension_numbers.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Of fewer lines most of a tile is zeros.
constexpr int64_t kLeastLines = 16;
constexpr int64_t kLeastDepth = 32;
constexpr int64_t kLeastMultiplications = 1 << 21;

Dims Joined(std::initializer_list<Dims> lists) {
  Dims joined;
  for (const Dims& list : lists) {
    joined.insert(joined.end(), list.begin(), list.end());
  }
  return joined;
}

// One factor as the handler takes it: three dimensions.
class ProductSide {
 public:
  ProductSide(const StablehloBuilder& builder, MlirValue array,
              const Dims& batching, const Dims& contracting)
      : builder_(builder),
        array_(array),
        shape_(builder.ShapeOf(array)),
        batching_(batching),
        contracting_(contracting),
        free_(FreeDimensions(shape_.size(), batching, contracting)) {}

  int64_t batch() const { return ElementCount(NumbersAt(shape_, batching_)); }
  int64_t lines() const { return ElementCount(NumbersAt(shape_, free_)); }
  int64_t depth() const {
    return ElementCount(NumbersAt(shape_, contracting_));
  }
  Dims free_shape() const { return NumbersAt(shape_, free_); }
  Dims batch_shape() const { return NumbersAt(shape_, batching_); }

  // Whether the array has its lines side by side as it is.
  bool is_turned() const {
    return Joined({batching_, contracting_, free_}) == UpTo(shape_.size()) &&
           !free_.empty() && !contracting_.empty();
  }

  MlirValue Matrices() const {
    if (is_turned()) {
      return builder_.Reshape(array_, {batch(), depth(), lines()});
    }
    const Dims order = Joined({batching_, free_, contracting_});
    const MlirValue ordered = order == UpTo(shape_.size())
                                  ? array_
                                  : builder_.Transpose(array_, order);
    return builder_.Reshape(ordered, {batch(), lines(), depth()});
  }

 private:
  const StablehloBuilder& builder_;
  const MlirValue array_;
  const Dims shape_;
  const Dims batching_;
  const Dims contracting_;
  const Dims free_;
};

void MultiplyByTiles(const Ir& ir, MlirOperation op) {
  const StablehloBuilder builder(ir, op);
  const std::vector<MlirValue> operands = ir.Operands(op);
  const std::string of = builder.ElementOf(operands.at(0));
  const std::string to = builder.ElementOf(ir.Results(op).at(0));
  if (of != builder.ElementOf(operands.at(1)) ||
      !((of == "i8" && to == "i32") || (of == "bf16" && to == "f32"))) {
    return;
  }
  const ProductDimensions dimensions = ReadProductDimensions(ir, op);
  const ProductSide lhs(builder, operands[0], dimensions.lhs_batching,
                        dimensions.lhs_contracting);
  const ProductSide rhs(builder, operands[1], dimensions.rhs_batching,
                        dimensions.rhs_contracting);
  if (std::min(lhs.lines(), rhs.lines()) < kLeastLines ||
      lhs.depth() < kLeastDepth ||
      lhs.batch() * lhs.lines() * rhs.lines() * lhs.depth() <
          kLeastMultiplications) {
    return;
  }
  const auto flag = [](const char* name, bool on) {
    return std::string(name) + " = " + (on ? "1" : "0") + " : i32";
  };
  const auto count = [](int64_t number) { return static_cast<size_t>(number); };
  const size_t scratch = TileProduct::ScratchBytes(
      count(lhs.batch()), count(lhs.lines()), count(rhs.lines()),
      count(lhs.depth()), of == "i8" ? 1 : 2);
  const MlirOperation call = builder.ForeignCall(
      kTileProductTarget, {lhs.Matrices(), rhs.Matrices()},
      {builder.Type({lhs.batch(), lhs.lines(), rhs.lines()}, to),
       builder.Type({static_cast<int64_t>(scratch)}, "i8")},
      "{" + flag("lhs_turned", lhs.is_turned()) + ", " +
          flag("rhs_turned", rhs.is_turned()) + "}");
  const MlirValue product = ir.Results(call).at(0);
  ir.Replace(
      op, {builder.Reshape(product, Joined({lhs.batch_shape(), lhs.free_shape(),
                                            rhs.free_shape()}))});
}

}  // namespace

void MultiplyTiles(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) == "dot_general") MultiplyByTiles(ir, op);
  }
}

}  // namespace iree_pjrt
