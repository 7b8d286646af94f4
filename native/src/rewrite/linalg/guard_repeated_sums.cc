// SPDX-License-Identifier: Apache-2.0
// Sums of rows that lines of a larger array repeat, as the product A x of the
// update B - y (A x)^T. IREE (3.11, 3.13) makes one dispatch of both, and gives
// workers some 32 of the sums: of the larger array as many columns, read and
// written line by line. 784 x 512 numbers take five times as long as by two
// dispatches. The pass puts such sums behind a barrier.
#include <algorithm>
#include <cstdint>
#include <set>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// Of fewer elements another dispatch takes longer.
constexpr int64_t kLarge = 1 << 14;

int64_t SizeOf(const Ir& ir, MlirValue array) {
  const auto type = ArrayTypeOf(ir, array);
  return type ? ElementCount(type->shape) : 0;
}

// Whether elements that lie side by side are reduced, and not to a single one.
bool ReducesRows(const Ir& ir, MlirOperation op) {
  if (!IsReduction(ir, op)) return false;
  const std::vector<LoopList> maps = IndexingMaps(ir, op);
  const LoopList& read = maps.front();
  return !read.empty() && !maps.back().empty() &&
         std::ranges::find(maps.back(), read.back()) == maps.back().end();
}

class Repetitions {
 public:
  explicit Repetitions(const Ir& ir) : ir_(ir) {}

  // Whether lines of a larger array are the array, or computed element by
  // element from it.
  bool Of(MlirValue array) {
    return std::ranges::any_of(ir_.Uses(array), [&](const Use& use) {
      if (IsElementwise(ir_, use.user)) return In(use, array);
      return ir_.IsReshape(use.user) && OfResults(use.user);
    });
  }

 private:
  bool In(const Use& use, MlirValue array) {
    const std::vector<LoopList> maps = IndexingMaps(ir_, use.user);
    const int64_t size = SizeOf(ir_, ir_.Results(use.user).front());
    if (size == SizeOf(ir_, array)) return OfResults(use.user);
    const LoopList& map = maps.at(use.operand);
    return size >= kLarge && !map.empty() && map.back() == maps.back().back();
  }

  bool OfResults(MlirOperation op) {
    return seen_.insert(op.ptr).second &&
           std::ranges::any_of(ir_.Results(op),
                               [&](MlirValue result) { return Of(result); });
  }

  const Ir& ir_;
  std::set<const void*> seen_;
};

}  // namespace

void GuardRepeatedSums(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (!ReducesRows(ir, op)) continue;
    for (const MlirValue result : ir.Results(op)) {
      if (Repetitions(ir).Of(result)) ir.PutBehindBarrier(result);
    }
  }
}

}  // namespace iree_pjrt
