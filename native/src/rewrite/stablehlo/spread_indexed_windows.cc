// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 takes an indexed dimension for one outside of the window, and
// writes only the last element of a window along it. JAX sends such scatters
// for a batched `dynamic_update_slice`. The pass gives each element along such
// a dimension an index of its own.
#include <algorithm>
#include <map>

#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/scatter.h"

namespace iree_pjrt {
namespace {

// The window dimensions of the updates that are indexed in the array, each with
// its component of the index.
std::map<int64_t, size_t> IndexedInWindow(const Scatter& scatter) {
  const DimensionNumbers& numbers = scatter.numbers;
  const auto rank = static_cast<int64_t>(
      scatter.builder.ShapeOf(scatter.arrays.at(0)).size());
  std::map<int64_t, size_t> found;
  size_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (IsIn(numbers.inserted, d)) continue;
    const int64_t update = numbers.window.at(next++);
    const auto at =
        std::find(numbers.indexed.begin(), numbers.indexed.end(), d);
    if (at == numbers.indexed.end()) continue;
    found[update] = static_cast<size_t>(at - numbers.indexed.begin());
  }
  return found;
}

void Spread(Scatter scatter, const std::map<int64_t, size_t>& spread) {
  DimensionNumbers& numbers = scatter.numbers;
  const StablehloBuilder& builder = scatter.builder;
  const MlirValue plain = scatter.PlainIndices();
  const std::string element = builder.ElementOf(plain);
  const Dims update = builder.ShapeOf(scatter.updates.at(0));
  Dims kept;
  for (const int64_t u : numbers.window) {
    if (!spread.contains(u)) kept.push_back(u);
  }
  // The dimensions of the new indices are those of the updates that are not
  // kept.
  Dims shape;
  Dims along;
  std::map<int64_t, int64_t> place;
  for (size_t i = 0; i < update.size(); ++i) {
    const auto u = static_cast<int64_t>(i);
    if (IsIn(kept, u)) continue;
    place[u] = static_cast<int64_t>(shape.size());
    if (!spread.contains(u)) along.push_back(place[u]);
    shape.push_back(update[i]);
  }
  const auto last = static_cast<int64_t>(shape.size());
  along.push_back(last);
  shape.push_back(static_cast<int64_t>(numbers.indexed.size()));
  MlirValue start = builder.Broadcast(plain, shape, along);
  for (const auto& [u, component] : spread) {
    Dims only(numbers.indexed.size(), 0);
    only[component] = 1;
    const MlirValue here =
        builder.Broadcast(builder.Integers(element, only), shape, {last});
    const MlirValue steps = builder.Iota(shape, element, place[u]);
    start =
        builder.Apply("add", {start, builder.Apply("multiply", {steps, here})});
  }
  for (const int64_t d : numbers.indexed) {
    if (!IsIn(numbers.inserted, d)) numbers.inserted.push_back(d);
  }
  std::sort(numbers.inserted.begin(), numbers.inserted.end());
  numbers.window = kept;
  scatter.SetPlainIndices(start);
  scatter.Write();
}

}  // namespace

void SpreadIndexedWindows(const Ir& ir) {
  for (const MlirOperation op : ScattersIn(ir)) {
    Scatter scatter(ir, op);
    const auto spread = IndexedInWindow(scatter);
    if (!spread.empty()) Spread(std::move(scatter), spread);
  }
}

}  // namespace iree_pjrt
