// SPDX-License-Identifier: Apache-2.0
#include "ffi/lu_pivots.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "ffi/frame.h"
#include "ffi/tensors.h"

namespace iree_pjrt {
namespace {

using Dims = std::vector<int64_t>;
using Numbers = std::vector<int32_t>;

ForeignCall Call(const Dims& from, const Dims& to) {
  ForeignCall call;
  call.target = kLuPivotsTarget;
  call.operands = {RowMajor(PJRT_Buffer_Type_S32, from)};
  call.results = {RowMajor(PJRT_Buffer_Type_S32, to)};
  call.aliases = {-1};
  return call;
}

Numbers Permutations(Numbers pivots, const Dims& from, const Dims& to) {
  Numbers got(16, -7);
  const ForeignCall call = Call(from, to);
  BoundCall(call).Run({pivots.data()}, {got.data()});
  got.resize(std::accumulate(to.begin(), to.end(), size_t{1},
                             [](size_t a, int64_t dim) { return a * dim; }));
  return got;
}

TEST(LuPivotsTest, RowsAreSwappedInOrder) {
  EXPECT_EQ(Permutations({2, 2, 2}, {3}, {3}), (Numbers{2, 0, 1}));
  EXPECT_EQ(Permutations({4, 1}, {2}, {5}), (Numbers{4, 1, 2, 3, 0}));
  EXPECT_EQ(Permutations({1, 1, 0, 1, 3, 2}, {3, 2}, {3, 4}),
            (Numbers{1, 0, 2, 3, 0, 1, 2, 3, 3, 2, 1, 0}));
}

TEST(LuPivotsTest, EmptyLinesAndBatches) {
  EXPECT_EQ(Permutations({}, {2, 0}, {2, 2}), (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(Permutations({}, {0, 3}, {0, 3}), Numbers{});
  EXPECT_EQ(Permutations({}, {0}, {0}), Numbers{});
}

TEST(LuPivotsTest, NothingIsWrittenToRowsThatAreNotThere) {
  EXPECT_EQ(Permutations({-1, 1}, {2}, {3}), (Numbers{2, 1, 0}));
  EXPECT_EQ(Permutations({3, 0}, {2}, {3}), (Numbers{1, 2, 2}));
  EXPECT_EQ(Permutations({-4}, {1}, {3}), (Numbers{0, 1, 2}));
}

TEST(LuPivotsTest, DamagedCallsAreRefused) {
  EXPECT_THROW(Permutations({0, 1, 2}, {3}, {2}), Error);
  EXPECT_THROW(Permutations({0, 1}, {2, 1}, {1, 1}), Error);
  EXPECT_THROW(Permutations({0, 1}, {2}, {1, 2}), Error);
  EXPECT_THROW(Permutations({0}, {}, {}), Error);
  Numbers numbers(4);
  ForeignCall call = Call({2}, {2});
  call.operands[0] = RowMajor(PJRT_Buffer_Type_F32, {2});
  EXPECT_THROW(BoundCall(call).Run({numbers.data()}, {numbers.data()}), Error);
}

}  // namespace
}  // namespace iree_pjrt
