// SPDX-License-Identifier: Apache-2.0
// Elementwise loops that ask where they are: masks, reversals, images that are
// turned around. IREE (3.13) counts the elements of all dimensions in one
// loop, and divides to get back to where each lies: in vectors of 64 bits,
// which takes longer than all else. The pass makes a loop for each dimension
// that is asked for, and of those that elements are taken along side by side,
// one: a mask of 1000 x 1000 takes half of the time, images that are flipped a
// fifth. 3.11 does not compile what then takes elements with masks.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "mlir/generics.h"
#include "mlir/memory_type.h"
#include "mlir/reshapes.h"
#include "mlir/scalar_builder.h"
#include "mlir/slices.h"
#include "rewrite/sources/loop_places.h"
#include "rewrite/sources/passes.h"

namespace iree_pjrt {
namespace {

// Of shorter loops no vectors are made.
constexpr int64_t kShortestVector = 16;

// The dimensions of one loop, the first counted in front, in groups that stay
// loops.
class Groups {
 public:
  Groups(const Ir& ir, MlirOperation generic, int64_t loop, int64_t length)
      : ir_(ir), places_(ir, generic, loop, length) {
    const size_t count = places_.sizes().size();
    joined_ = Joined();
    size_t first = std::max<size_t>(joined_, 1);
    if (joined_ < 2 && !Takes(generic)) {
      while (first < count && Product(0, first) < kShortestVector) ++first;
    }
    ends_.push_back(first);
    while (ends_.back() < count) ends_.push_back(ends_.back() + 1);
  }

  bool Change() const { return ends_.size() > 1 || joined_ > 1; }

  // Of the loops, the outermost first.
  std::vector<int64_t> Lengths() const {
    std::vector<int64_t> lengths;
    for (size_t i = ends_.size(); i-- > 0;) {
      lengths.push_back(Product(Begin(i), ends_[i]));
    }
    return lengths;
  }

  // `loops`: the indices of the loops, the outermost first.
  void Separate(std::vector<MlirValue> loops) const {
    std::ranges::reverse(loops);
    if (joined_ > 1) TakeSideBySide(loops[0]);
    std::vector<MlirValue> places;
    for (size_t i = 0; i < ends_.size(); ++i) {
      for (size_t at = Begin(i); at < ends_[i]; ++at) {
        places.push_back(PlaceIn(loops[i], Begin(i), at, ends_[i]));
      }
    }
    places_.Become(places);
  }

 private:
  size_t Begin(size_t group) const { return group == 0 ? 0 : ends_[group - 1]; }

  int64_t Product(size_t begin, size_t end) const {
    int64_t product = 1;
    for (size_t i = begin; i < end; ++i) product *= places_.sizes()[i];
    return product;
  }

  bool Takes(MlirOperation generic) const {
    return std::ranges::any_of(
        ir_.OperationsOf(ir_.Body(generic)),
        [&](MlirOperation op) { return ir_.Name(op) == "tensor.extract"; });
  }

  // How many dimensions, from the first on, are asked for only to take
  // elements that lie side by side along them.
  size_t Joined() const {
    size_t joined = 0;
    while (joined < places_.sizes().size() && AreTakenUpTo(joined)) ++joined;
    return joined;
  }

  // Whether all that asks for dimensions up to this one takes elements at
  // the places along all of them, of arrays that have those before it whole.
  bool AreTakenUpTo(size_t last) const {
    for (size_t i = 0; i <= last; ++i) {
      if (!places_.IsUsed(i) ||
          !std::ranges::all_of(places_.UsesOf(i), [&](const Use& use) {
            return TakesUpTo(last, use.user) &&
                   use.operand + i + 1 == ir_.Operands(use.user).size();
          })) {
        return false;
      }
    }
    return true;
  }

  bool TakesUpTo(size_t last, MlirOperation op) const {
    const std::vector<MlirValue> operands = ir_.Operands(op);
    if (ir_.Name(op) != "tensor.extract" || operands.size() < last + 2 ||
        !IsWhole(operands[0])) {
      return false;
    }
    const MlirType type = ir_.api.mlirValueGetType(operands[0]);
    for (size_t i = 0; i <= last; ++i) {
      const size_t at = operands.size() - 1 - i;
      const int64_t length =
          ir_.api.mlirShapedTypeGetDimSize(type, static_cast<intptr_t>(at) - 1);
      if (!places_.Is(operands[at], i) ||
          (i < last && length != places_.sizes()[i])) {
        return false;
      }
    }
    return true;
  }

  // Whether its rows lie one after another.
  bool IsWhole(MlirValue array) const {
    const MlirOperation load = ir_.Definition(array);
    if (!IsLoad(ir_, load)) return false;
    const auto slice = ReadSlice(ir_, load);
    return slice && slice->sizes == ShapeInMemory(ir_, ir_.Operands(load)[0]);
  }

  void TakeSideBySide(MlirValue loop) const {
    for (const Use& use : places_.UsesOf(0)) {
      std::vector<MlirValue> operands = ir_.Operands(use.user);
      operands.resize(operands.size() - joined_);
      operands.push_back(loop);
      operands[0] = Collapsed(operands[0]);
      ir_.Replace(use.user, ir_.Results(ir_.CreateBefore(
                                use.user, "tensor.extract", operands,
                                ir_.ResultTypes(use.user), {})));
    }
  }

  // The array with its last dimensions as one.
  MlirValue Collapsed(MlirValue array) const {
    const auto rank =
        ir_.api.mlirShapedTypeGetRank(ir_.api.mlirValueGetType(array));
    const auto joined = static_cast<int64_t>(joined_);
    DimensionCounts counts(static_cast<size_t>(rank - joined), 1);
    counts.push_back(joined);
    return CollapseShape(
        ir_, ir_.api.mlirOperationGetNextInBlock(ir_.Definition(array)), array,
        counts);
  }

  // The place along the dimension `at`, where a loop counts those from `begin`
  // up to `end`.
  MlirValue PlaceIn(MlirValue loop, size_t begin, size_t at, size_t end) const {
    const ScalarBuilder builder(
        ir_, ir_.api.mlirOperationGetNextInBlock(ir_.Definition(loop)),
        ir_.api.mlirValueGetType(loop));
    MlirValue place = loop;
    if (at > begin) {
      place = builder.Apply("arith.divsi",
                            {place, builder.Constant(Product(begin, at))});
    }
    if (at + 1 < end) {
      place = builder.Apply("arith.remsi",
                            {place, builder.Constant(places_.sizes()[at])});
    }
    return place;
  }

  const Ir& ir_;
  const LoopPlaces places_;
  size_t joined_ = 0;
  std::vector<size_t> ends_;
};

// An elementwise generic whose arrays are indexed by loops.
class SeparatedLoops {
 public:
  SeparatedLoops(const Ir& ir, MlirOperation op)
      : ir_(ir), op_(op), maps_(IndexingMaps(ir, op)) {
    const MlirType type = ir.ResultTypes(op)[0];
    for (const int64_t loop : maps_.back()) {
      groups_.emplace_back(ir, op, loop,
                           ir.api.mlirShapedTypeGetDimSize(
                               type, static_cast<intptr_t>(groups_.size())));
    }
  }

  bool Change() const { return std::ranges::any_of(groups_, &Groups::Change); }

  void Separate() const {
    std::vector<LoopList> loops;
    int64_t count = 0;
    for (const Groups& groups : groups_) {
      LoopList& own = loops.emplace_back();
      for (size_t i = 0; i < groups.Lengths().size(); ++i) {
        own.push_back(count++);
      }
    }
    ReplaceIndices(loops);
    std::vector<LoopList> maps;
    for (size_t i = 0; i < maps_.size(); ++i) {
      maps.push_back(Spread(maps_[i], loops));
      SeparateOperand(static_cast<intptr_t>(i));
    }
    SetIndexingMaps(ir_, op_, maps);
    CollapseResult();
  }

 private:
  void ReplaceIndices(const std::vector<LoopList>& loops) const {
    const MlirOperation first =
        ir_.api.mlirBlockGetFirstOperation(ir_.Body(op_));
    for (size_t i = 0; i < groups_.size(); ++i) {
      std::vector<MlirValue> indices;
      for (const int64_t loop : loops[i]) {
        indices.push_back(MakeLoopIndex(ir_, first, loop));
      }
      groups_[i].Separate(indices);
    }
  }

  static LoopList Spread(const LoopList& map,
                         const std::vector<LoopList>& loops) {
    LoopList spread;
    for (const int64_t loop : map) {
      const LoopList& own = loops[static_cast<size_t>(loop)];
      spread.insert(spread.end(), own.begin(), own.end());
    }
    return spread;
  }

  // Of an array that these loops index: its dimensions once they are separate,
  // and how many each becomes.
  std::vector<int64_t> ShapeOf(const LoopList& map) const {
    std::vector<int64_t> shape;
    for (const int64_t loop : map) {
      const auto lengths = groups_[static_cast<size_t>(loop)].Lengths();
      shape.insert(shape.end(), lengths.begin(), lengths.end());
    }
    return shape;
  }
  DimensionCounts CountsOf(const LoopList& map) const {
    DimensionCounts counts;
    for (const int64_t loop : map) {
      counts.push_back(static_cast<int64_t>(
          groups_[static_cast<size_t>(loop)].Lengths().size()));
    }
    return counts;
  }

  void SeparateOperand(intptr_t number) const {
    const LoopList& map = maps_[static_cast<size_t>(number)];
    const std::vector<int64_t> shape = ShapeOf(map);
    if (shape.size() == map.size()) return;
    const MlirValue array = ir_.api.mlirOperationGetOperand(op_, number);
    const MlirOperation made = ir_.Definition(array);
    const bool empty = made.ptr && ir_.Name(made) == "tensor.empty";
    ir_.api.mlirOperationSetOperand(
        op_, number,
        empty ? ir_.Results(ir_.CreateBefore(op_, "tensor.empty", {},
                                             {TypeInShape(ir_, array, shape)},
                                             {}))[0]
              : ExpandShape(ir_, op_, array, shape, CountsOf(map)));
  }

  void CollapseResult() const {
    const MlirValue result = ir_.Results(op_)[0];
    const MlirType now = ir_.api.mlirValueGetType(ir_.Operands(op_).back());
    if (ir_.api.mlirTypeEqual(ir_.api.mlirValueGetType(result), now)) return;
    const std::vector<Use> uses = ir_.Uses(result);
    ir_.api.mlirValueSetType(result, now);
    ir_.SetUses(uses,
                CollapseShape(ir_, ir_.api.mlirOperationGetNextInBlock(op_),
                              result, CountsOf(maps_.back())));
  }

  const Ir& ir_;
  const MlirOperation op_;
  const std::vector<LoopList> maps_;
  std::vector<Groups> groups_;
};

// Whether it has one result, of a static shape, whose dimensions are its loops,
// and all that it reads is indexed by loops.
bool IsPlain(const Ir& ir, MlirOperation op) {
  if (!IsElementwise(ir, op)) return false;
  const std::vector<MlirType> results = ir.ResultTypes(op);
  const std::vector<LoopList> maps = IndexingMaps(ir, op);
  return results.size() == 1 &&
         ir.api.mlirShapedTypeHasStaticShape(results[0]) &&
         maps.back() == AllLoops(LoopCount(ir, op)) &&
         std::ranges::all_of(maps, [](const LoopList& map) {
           return std::ranges::find(map, kNoLoop) == map.end();
         });
}

}  // namespace

void SeparateRows(const Ir& ir) {
  for (const MlirOperation function : ir.AllOperations()) {
    if (ir.Name(function) != "func.func") continue;
    std::vector<MlirOperation> loops =
        Ir{ir.api, ir.context, function}.AllOperations();
    std::erase_if(loops, [&](MlirOperation op) {
      return !ir.Name(op).starts_with("linalg.") ||
             ir.api.mlirOperationGetNumRegions(op) == 0;
    });
    // What shares a dispatch with others is tiled with them.
    if (loops.size() != 1 || !IsPlain(ir, loops[0])) continue;
    const SeparatedLoops separated(ir, loops[0]);
    if (separated.Change()) separated.Separate();
  }
}

}  // namespace iree_pjrt
