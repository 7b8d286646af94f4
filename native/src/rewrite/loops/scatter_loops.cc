// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/scatter_loops.h"

#include "mlir/attributes.h"

namespace iree_pjrt {
namespace {

class ScatterLoops {
 public:
  ScatterLoops(const Ir& ir, const Buffers& buffers, MlirOperation scatter)
      : ir_(ir), buffers_(buffers), scatter_(scatter) {}

  void Make(const View& updates, const View& indices, const View& target) {
    const MlirValue from = buffers_.Memref(updates, scatter_);
    const MlirValue where = buffers_.Memref(indices, scatter_);
    const MlirValue to = buffers_.Memref(target, scatter_);
    std::vector<MlirValue> at;
    MlirOperation inside = scatter_;
    for (const int64_t size : updates.shape) {
      at.push_back(Loop(size, inside));
    }
    const MlirBlock region = ir_.Body(scatter_);
    const auto type = [&](intptr_t i) {
      return ir_.api.mlirValueGetType(ir_.api.mlirBlockGetArgument(region, i));
    };
    const MlirValue update = buffers_.Load(from, at, type(0), inside);
    const auto place =
        Place(at, where, indices.shape.size(), target.shape.size(), inside);
    const MlirValue old = buffers_.Load(to, place, type(1), inside);
    buffers_.Store(Combined(update, old, inside), to, place, inside);
  }

 private:
  // A loop before `inside`, which becomes the end of its body; its counter.
  MlirValue Loop(int64_t size, MlirOperation& inside) const {
    const MlirOperation loop = ir_.CreateBefore(
        inside, "scf.for",
        {buffers_.Index(0, inside), buffers_.Index(size, inside),
         buffers_.Index(1, inside)},
        {}, {}, 1);
    const MlirType index = ir_.ParseType("index");
    const MlirLocation location = ir_.api.mlirOperationGetLocation(scatter_);
    const MlirBlock body = ir_.api.mlirBlockCreate(1, &index, &location);
    ir_.api.mlirRegionAppendOwnedBlock(
        ir_.api.mlirOperationGetFirstRegion(loop), body);
    MlirOperationState yield =
        ir_.api.mlirOperationStateGet({"scf.yield", 9}, location);
    inside = ir_.api.mlirOperationCreate(&yield);
    ir_.api.mlirBlockAppendOwnedOperation(body, inside);
    return ir_.api.mlirBlockGetArgument(body, 0);
  }

  // The element of the target that goes with an element of the updates. These
  // have dimensions for the indices, then the last ones of the target.
  std::vector<MlirValue> Place(const std::vector<MlirValue>& at,
                               MlirValue indices, size_t indices_rank,
                               size_t rank, MlirOperation before) const {
    const auto dims =
        ReadIntegers(ir_, ir_.Attribute(scatter_, "dimension_map"));
    const size_t sliced = rank - dims.size();
    const size_t batched = at.size() - sliced;
    std::vector<MlirValue> place(rank, MlirValue{nullptr});
    for (size_t i = 0; i < sliced; ++i) {
      place[dims.size() + i] = at[batched + i];
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      std::vector<MlirValue> which(at.begin(),
                                   at.begin() + static_cast<long>(batched));
      if (indices_rank > batched) {
        which.push_back(buffers_.Index(static_cast<int64_t>(i), before));
      }
      const auto dim = static_cast<size_t>(dims[i]);
      place.at(dim) =
          Sum(IndexAt(indices, which, before), place.at(dim), before);
    }
    return place;
  }

  MlirValue IndexAt(MlirValue indices, const std::vector<MlirValue>& at,
                    MlirOperation before) const {
    const MlirType type =
        ir_.api.mlirShapedTypeGetElementType(ir_.api.mlirValueGetType(indices));
    const MlirValue number = buffers_.Load(indices, at, type, before);
    return ir_.Results(ir_.CreateBefore(before, "arith.index_cast", {number},
                                        {ir_.ParseType("index")}, {}))[0];
  }

  MlirValue Sum(MlirValue a, MlirValue b, MlirOperation before) const {
    if (!b.ptr) return a;
    return ir_.Results(ir_.CreateBefore(before, "arith.addi", {a, b},
                                        {ir_.api.mlirValueGetType(a)}, {}))[0];
  }

  // What the scatter's region makes of the update and the old element.
  MlirValue Combined(MlirValue update, MlirValue old,
                     MlirOperation before) const {
    const MlirBlock body = ir_.Body(scatter_);
    ir_.api.mlirValueReplaceAllUsesOfWith(ir_.api.mlirBlockGetArgument(body, 0),
                                          update);
    ir_.api.mlirValueReplaceAllUsesOfWith(ir_.api.mlirBlockGetArgument(body, 1),
                                          old);
    const MlirOperation yield = ir_.Terminator(body);
    while (true) {
      const MlirOperation op = ir_.api.mlirBlockGetFirstOperation(body);
      if (op.ptr == yield.ptr) break;
      ir_.api.mlirOperationMoveBefore(op, before);
    }
    return ir_.Operands(yield).at(0);
  }

  const Ir& ir_;
  const Buffers& buffers_;
  const MlirOperation scatter_;
};

}  // namespace

void MakeScatterLoops(const Ir& ir, const Buffers& buffers,
                      MlirOperation scatter, const View& updates,
                      const View& indices, const View& target) {
  ScatterLoops(ir, buffers, scatter).Make(updates, indices, target);
}

}  // namespace iree_pjrt
