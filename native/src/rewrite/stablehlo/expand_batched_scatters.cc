// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 crashes on batching dimensions of a scatter. JAX sends them for the
// gradient of `take_along_axis`, as in a cross-entropy loss. The pass turns the
// place of an update in its batch into components of its index.
#include <algorithm>

#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/scatter.h"

namespace iree_pjrt {
namespace {

// The dimension of the plain indices that corresponds to a dimension of the
// indices.
int64_t InPlain(const Scatter& scatter, int64_t dimension) {
  return dimension - (dimension > scatter.numbers.vector ? 1 : 0);
}

void Expand(Scatter scatter) {
  DimensionNumbers& numbers = scatter.numbers;
  const StablehloBuilder& builder = scatter.builder;
  const MlirValue plain = scatter.PlainIndices();
  Dims one = builder.ShapeOf(plain);
  const auto last = static_cast<int64_t>(one.size()) - 1;
  one.back() = 1;
  std::vector<MlirValue> components;
  for (const int64_t dimension : numbers.indices_batching) {
    components.push_back(builder.Iota(one, builder.ElementOf(plain),
                                      InPlain(scatter, dimension)));
  }
  components.push_back(plain);
  numbers.indexed.insert(numbers.indexed.begin(), numbers.batching.begin(),
                         numbers.batching.end());
  numbers.inserted.insert(numbers.inserted.end(), numbers.batching.begin(),
                          numbers.batching.end());
  std::sort(numbers.inserted.begin(), numbers.inserted.end());
  numbers.batching.clear();
  numbers.indices_batching.clear();
  scatter.SetPlainIndices(builder.Concatenate(components, last));
  scatter.Write();
}

}  // namespace

void ExpandBatchedScatters(const Ir& ir) {
  for (const MlirOperation op : ScattersIn(ir)) {
    Scatter scatter(ir, op);
    if (!scatter.numbers.batching.empty()) Expand(std::move(scatter));
  }
}

}  // namespace iree_pjrt
