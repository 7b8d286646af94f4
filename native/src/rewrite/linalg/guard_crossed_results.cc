// SPDX-License-Identifier: Apache-2.0
// Results of reductions that one operation indexes in two ways, as the norms of
// points in a matrix of distances, n[i] + n[j]. IREE (3.11, 3.13) may fuse the
// reduction with that operation. A workgroup then has the part n[i] that its
// rows need, and reads n[j] from it, too: beyond its end. The pass puts such a
// result behind a barrier, which keeps the two apart.
//
// Other operations may lie between: followed are all that compute each element
// from one of the same place, and what turns and repeats arrays.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// How an array, or the loops of an operation, come from the reduced result: for
// each dimension of `of`, which dimension here it is.
struct Place {
  // The operation that gave the array its shape: the reduction, or another that
  // is not looked through.
  const void* of;
  std::vector<int64_t> dimensions;

  bool operator==(const Place&) const = default;
};

bool ChangesShape(std::string_view name) {
  constexpr std::array kNames = {
      "tensor.expand_shape", "tensor.collapse_shape", "tensor.extract_slice",
      "tensor.cast",         "linalg.transpose",      "linalg.broadcast"};
  return std::ranges::find(kNames, name) != kNames.end();
}

// Whether each of its results is a sum, or the like, of many elements.
bool Reduces(const Ir& ir, MlirOperation op) {
  const std::string_view name = ir.Name(op);
  if (!name.starts_with("linalg.") || ChangesShape(name)) return false;
  if (IsGeneric(ir, op)) return IsReduction(ir, op);
  return name != "linalg.fill" && name != "linalg.map" &&
         name != "linalg.copy" && name != "linalg.yield" &&
         name != "linalg.index";
}

int64_t RankOf(const Ir& ir, MlirValue value) {
  const MlirType type = ir.api.mlirValueGetType(value);
  return ir.api.mlirTypeIsAShaped(type) ? ir.api.mlirShapedTypeGetRank(type)
                                        : 0;
}

// What is asked of a generic by each reduction before it.
struct Generic {
  std::vector<std::vector<int64_t>> maps;
  bool reduces;
};
using Generics = std::map<const void*, Generic>;

class Crossings {
 public:
  Crossings(const Ir& ir, Generics& generics, MlirValue result)
      : ir_(ir), generics_(generics) {
    Follow(result, Start(ir.api.mlirOpResultGetOwner(result), result));
    while (!found_ && !ahead_.empty()) {
      const auto [value, place] = ahead_.back();
      ahead_.pop_back();
      for (const Use& use : ir.Uses(value)) Visit(use, place);
    }
  }

  bool found() const { return found_; }

 private:
  Place Start(MlirOperation of, MlirValue value) const {
    Place place{of.ptr, {}};
    for (int64_t i = 0; i < RankOf(ir_, value); ++i) {
      place.dimensions.push_back(i);
    }
    return place;
  }

  void Follow(MlirValue value, const Place& place) {
    ahead_.emplace_back(value, place);
  }

  void Visit(const Use& use, const Place& place) {
    if (IsGeneric(ir_, use.user)) {
      Enter(use, place);
    } else if (ChangesShape(ir_.Name(use.user)) &&
               places_.try_emplace(use.user.ptr, place).second) {
      const MlirValue result = ir_.api.mlirOperationGetResult(use.user, 0);
      Follow(result, Start(use.user, result));
    }
  }

  void Enter(const Use& use, const Place& place) {
    const auto& [maps, reduces] = About(use.user);
    if (use.operand >= maps.size()) return;
    Place loops{place.of, {}};
    for (const int64_t dimension : place.dimensions) {
      const auto& map = maps[use.operand];
      const auto at = static_cast<size_t>(dimension);
      loops.dimensions.push_back(dimension >= 0 && at < map.size() ? map[at]
                                                                   : kNoLoop);
    }
    const auto [known, is_new] = places_.try_emplace(use.user.ptr, loops);
    if (!is_new) {
      found_ = found_ || known->second != loops;
      return;
    }
    if (reduces) return;
    const std::vector<MlirValue> results = ir_.Results(use.user);
    for (size_t i = 0; i < results.size(); ++i) {
      Follow(results[i],
             Through(loops, maps.at(maps.size() - results.size() + i)));
    }
  }

  const Generic& About(MlirOperation op) {
    const auto known = generics_.find(op.ptr);
    if (known != generics_.end()) return known->second;
    return generics_
        .emplace(op.ptr, Generic{IndexingMaps(ir_, op), IsReduction(ir_, op)})
        .first->second;
  }

  // Where the loops are in an array that is indexed by `map`.
  static Place Through(const Place& loops, const std::vector<int64_t>& map) {
    Place place{loops.of, {}};
    for (const int64_t loop : loops.dimensions) {
      const auto at = std::ranges::find(map, loop);
      place.dimensions.push_back(
          at == map.end() || loop == kNoLoop ? kNoLoop : at - map.begin());
    }
    return place;
  }

  const Ir& ir_;
  Generics& generics_;
  // Arrays whose users are still to be looked at.
  std::vector<std::pair<MlirValue, Place>> ahead_;
  // Of the operations that were reached, their loops.
  std::map<const void*, Place> places_;
  bool found_ = false;
};

}  // namespace

void GuardCrossedResults(const Ir& ir) {
  Generics generics;
  for (const MlirOperation op : ir.AllOperations()) {
    if (!Reduces(ir, op)) continue;
    for (const MlirValue result : ir.Results(op)) {
      if (RankOf(ir, result) > 0 && Crossings(ir, generics, result).found()) {
        ir.PutBehindBarrier(result);
      }
    }
  }
}

}  // namespace iree_pjrt
