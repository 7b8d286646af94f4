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
    // Before the loops that use them.
    const MlirValue to = buffers_.Memref(target, scatter_);
    const MlirValue where = buffers_.Memref(indices, scatter_);
    const MlirValue from = buffers_.Memref(updates, scatter_);
    const size_t sliced = target.shape.size() - Dimensions().size();
    const size_t batched = updates.shape.size() - sliced;
    std::vector<MlirValue> at;
    MlirOperation inside = scatter_;
    for (size_t i = 0; i < batched; ++i) {
      at.push_back(Loop(updates.shape[i], inside));
    }
    std::vector<MlirValue> place =
        Indexed(where, indices.shape.size(), at, inside);
    inside = If(IsInside(place, target.shape, inside), inside);
    for (size_t i = batched; i < updates.shape.size(); ++i) {
      at.push_back(Loop(updates.shape[i], inside));
      place.push_back(at.back());
    }
    const MlirBlock region = ir_.Body(scatter_);
    const auto type = [&](intptr_t i) {
      return ir_.api.mlirValueGetType(ir_.api.mlirBlockGetArgument(region, i));
    };
    const MlirValue update = buffers_.Load(from, at, type(0), inside);
    const MlirValue old = buffers_.Load(to, place, type(1), inside);
    buffers_.Store(Combined(update, old, inside), to, place, inside);
  }

 private:
  // Of the target, those that are indexed: the first ones, in any order.
  Extents Dimensions() const {
    return ReadIntegers(ir_, ir_.Attribute(scatter_, "dimension_map"));
  }

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
    inside = AddBody(loop, body);
    return ir_.api.mlirBlockGetArgument(body, 0);
  }

  // The end of what is done before `inside` where the condition holds.
  MlirOperation If(MlirValue condition, MlirOperation inside) const {
    const MlirOperation choice =
        ir_.CreateBefore(inside, "scf.if", {condition}, {}, {}, 2);
    return AddBody(choice, ir_.api.mlirBlockCreate(0, nullptr, nullptr));
  }

  // The end of the body.
  MlirOperation AddBody(MlirOperation op, MlirBlock body) const {
    ir_.api.mlirRegionAppendOwnedBlock(ir_.api.mlirOperationGetFirstRegion(op),
                                       body);
    return ir_.AppendTo(body, ir_.api.mlirOperationGetLocation(scatter_),
                        "scf.yield", {});
  }

  // Where the update belongs in the dimensions that are indexed: what is in
  // `where`, which has `rank` dimensions.
  std::vector<MlirValue> Indexed(MlirValue where, size_t rank,
                                 const std::vector<MlirValue>& batch,
                                 MlirOperation before) const {
    const Extents dims = Dimensions();
    std::vector<MlirValue> place(dims.size(), MlirValue{nullptr});
    for (size_t i = 0; i < dims.size(); ++i) {
      const auto dim = static_cast<size_t>(dims[i]);
      if (dim >= dims.size() || place[dim].ptr) {
        throw LoopRefused{"a scatter that does not index the first dimensions"};
      }
      std::vector<MlirValue> which = batch;
      if (rank > batch.size()) {
        which.push_back(buffers_.Index(static_cast<int64_t>(i), before));
      }
      place[dim] = IndexAt(where, which, before);
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

  // What does not fit is left out.
  MlirValue IsInside(const std::vector<MlirValue>& place, const Extents& shape,
                     MlirOperation before) const {
    const ScalarBuilder index(ir_, before, ir_.ParseType("index"));
    MlirValue inside{nullptr};
    for (size_t i = 0; i < place.size(); ++i) {
      const MlirValue fits =
          index.UnsignedLess(place[i], index.Constant(shape[i]));
      inside = inside.ptr ? ir_.Results(ir_.CreateBefore(
                                before, "arith.andi", {inside, fits},
                                {ir_.api.mlirValueGetType(fits)}, {}))[0]
                          : fits;
    }
    return inside;
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
