// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/split_sums.h"

#include <algorithm>
#include <string>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "mlir/reshapes.h"
#include "rewrite/loops/buffers.h"
#include "rewrite/loops/loop_order.h"

namespace iree_pjrt {
namespace {

// Of fewer terms the sums side by side are as many.
constexpr int64_t kFewestTerms = 32;
constexpr int64_t kManyTerms = 128;

class Sum {
 public:
  Sum(const Ir& ir, MlirOperation op)
      : ir_(ir), op_(op), operands_(ir.Operands(op)) {}

  // Whether each element is a sum of floats, the loop that goes along memory.
  bool IsAlongMemory() {
    const auto loop = LoopAlongMemory(ir_, op_);
    if (!loop || ir_.api.mlirOperationGetNumResults(op_) != 1 || !Adds()) {
      return false;
    }
    loop_ = *loop;
    maps_ = IndexingMaps(ir_, op_);
    return std::ranges::count(maps_.back(), loop_) == 0 && AreLast();
  }

  // How many sums there will be of each; 0 where it does not pay.
  int64_t Lanes() const {
    const int64_t terms = Terms();
    if (terms >= kManyTerms && terms % 16 == 0) return 16;
    return terms >= kFewestTerms && terms % 8 == 0 ? 8 : 0;
  }

  void Split(int64_t lanes) {
    const MlirValue parts = Parts(lanes);
    AddUp(parts);
  }

 private:
  // Whether the body adds floats to what is there, which it uses nowhere else.
  bool Adds() const {
    const MlirOperation sum = YieldedBy(ir_, op_);
    if (!sum.ptr || ir_.Name(sum) != "arith.addf") return false;
    const MlirValue old = ir_.api.mlirBlockGetArgument(
        ir_.Body(op_), static_cast<intptr_t>(operands_.size()) - 1);
    const std::vector<Use> uses = ir_.Uses(old);
    return uses.size() == 1 && uses[0].user.ptr == sum.ptr;
  }

  bool AreLast() const {
    for (size_t i = 0; i + 1 < maps_.size(); ++i) {
      const auto times = std::ranges::count(maps_[i], loop_);
      if (times > 1 || (times == 1 && maps_[i].back() != loop_)) return false;
    }
    return true;
  }

  std::vector<int64_t> ShapeOf(MlirValue array) const {
    return ArrayTypeOf(ir_, array)->shape;
  }

  int64_t Terms() const {
    for (size_t i = 0; i + 1 < maps_.size(); ++i) {
      if (!maps_[i].empty() && maps_[i].back() == loop_) {
        return ShapeOf(operands_[i]).back();
      }
    }
    return 0;
  }

  // The array, its last dimension as two.
  MlirValue Grouped(MlirValue array, int64_t lanes) const {
    std::vector<int64_t> shape = ShapeOf(array);
    DimensionCounts counts(shape.size(), 1);
    counts.back() = 2;
    shape.back() /= lanes;
    shape.push_back(lanes);
    return ExpandShape(ir_, op_, array, shape, counts);
  }

  // Zeros of this shape.
  MlirValue Zeros(MlirType type) const {
    const MlirType element = ir_.api.mlirShapedTypeGetElementType(type);
    const MlirOperation zero = ir_.CreateBefore(
        op_, "arith.constant", {}, {element},
        {ir_.Named("value", ir_.Parse("0.0 : " + ir_.Print(element)))});
    const MlirOperation empty =
        ir_.CreateBefore(op_, "tensor.empty", {}, {type}, {});
    return ir_.Results(MakeElementwise(ir_, op_, "", ir_.Results(zero)[0],
                                       ir_.Results(empty)[0]))[0];
  }

  // The sums of every n-th term, n the number of lanes: along a new last loop.
  MlirValue Parts(int64_t lanes) {
    const MlirAttribute iterators = ir_.Attribute(op_, "iterator_types");
    const int64_t loops = LoopCount(ir_, op_);
    std::vector<LoopList> maps = maps_;
    std::vector<MlirValue> operands = operands_;
    for (size_t i = 0; i + 1 < maps.size(); ++i) {
      if (maps[i].empty() || maps[i].back() != loop_) continue;
      maps[i].push_back(loops);
      operands[i] = Grouped(operands[i], lanes);
    }
    maps.back().push_back(loops);
    std::vector<int64_t> shape = ShapeOf(operands.back());
    shape.push_back(lanes);
    const MlirType type = TypeInShape(ir_, operands.back(), shape);
    operands.back() = Zeros(type);

    const MlirOperation parts = ir_.CloneBefore(op_, op_);
    for (size_t i = 0; i < operands.size(); ++i) {
      ir_.api.mlirOperationSetOperand(parts, static_cast<intptr_t>(i),
                                      operands[i]);
    }
    ir_.SetAttribute(parts, "indexing_maps", MapsOf(ir_, loops + 1, maps));
    std::string types = ir_.Print(iterators);
    types.insert(types.rfind(']'), ", #linalg.iterator_type<parallel>");
    ir_.SetAttribute(parts, "iterator_types", ir_.Parse(types));
    const MlirValue result = ir_.Results(parts)[0];
    ir_.api.mlirValueSetType(result, type);
    return result;
  }

  // Adds the parts to what the sums start from.
  void AddUp(MlirValue parts) const {
    const MlirValue start = operands_.back();
    const auto rank = static_cast<int64_t>(maps_.back().size());
    const MlirOperation total = MakeGeneric(
        ir_, op_, {parts, start}, {AllLoops(rank + 1), AllLoops(rank)},
        {ir_.api.mlirValueGetType(start)});
    const MlirBlock body = AddElementBody(ir_, total);
    const MlirLocation location = ir_.api.mlirOperationGetLocation(op_);
    const MlirValue term = ir_.api.mlirBlockGetArgument(body, 0);
    const MlirValue sum = ir_.api.mlirBlockGetArgument(body, 1);
    const MlirOperation added =
        ir_.AppendTo(body, location, "arith.addf", {sum, term},
                     {ir_.api.mlirValueGetType(sum)});
    ir_.AppendTo(body, location, "linalg.yield", ir_.Results(added));
    ir_.Replace(op_, ir_.Results(total));
  }

  const Ir& ir_;
  const MlirOperation op_;
  const std::vector<MlirValue> operands_;
  int64_t loop_ = 0;
  std::vector<LoopList> maps_;
};

}  // namespace

void SplitSums(const Ir& ir, MlirOperation function) {
  for (const MlirOperation op :
       Ir{ir.api, ir.context, function}.AllOperations()) {
    if (!IsReduction(ir, op)) continue;
    Sum sum(ir, op);
    if (!sum.IsAlongMemory()) continue;
    if (const int64_t lanes = sum.Lanes()) sum.Split(lanes);
  }
}

}  // namespace iree_pjrt
