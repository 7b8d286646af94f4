// SPDX-License-Identifier: Apache-2.0
// Slices of what was put together of parts, such as rows that an unrolled scan
// stacks and its gradient takes again. IREE (3.13) folds the part that was put
// last, and writes the array for the others. The pass takes the part itself, as
// XLA does.
#include <algorithm>
#include <numeric>
#include <optional>

#include "mlir/slices.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// The places of a slice along one dimension.
struct Places {
  int64_t first;
  int64_t count;
  int64_t step;

  int64_t Last() const { return first + (count - 1) * step; }
};

Places Along(const Slice& slice, size_t d) {
  return {slice.offsets[d], slice.sizes[d], slice.steps[d]};
}

bool AreApart(const Places& a, const Places& b) {
  return a.count == 0 || b.count == 0 || a.Last() < b.first ||
         b.Last() < a.first ||
         (a.first - b.first) % std::gcd(a.step, b.step) != 0;
}

// Whether two slices of one array share no element.
bool AreApart(const Slice& a, const Slice& b) {
  for (size_t d = 0; d < a.sizes.size(); ++d) {
    if (AreApart(Along(a, d), Along(b, d))) return true;
  }
  return false;
}

// `inner`, a slice of the array that `outer` is one of, as a slice of that one;
// nothing if not all of it is there.
std::optional<Slice> Within(const Slice& inner, const Slice& outer) {
  Slice within = inner;
  for (size_t d = 0; d < inner.sizes.size(); ++d) {
    const Places taken = Along(inner, d);
    const Places there = Along(outer, d);
    const int64_t from = taken.first - there.first;
    if (from < 0 || taken.Last() > there.Last() || from % there.step != 0 ||
        (taken.count > 1 && taken.step % there.step != 0)) {
      return std::nullopt;
    }
    within.offsets[d] = from / there.step;
    within.steps[d] = std::max<int64_t>(taken.step / there.step, 1);
  }
  return within;
}

struct Part {
  MlirValue array;
  Slice slice;
};

// The part that the slice is of. `array`: what was put together.
std::optional<Part> FindPart(const Ir& ir, MlirValue array, Slice slice) {
  std::optional<Part> found;
  for (MlirOperation put = ir.Definition(array);
       put.ptr && ir.Name(put) == "tensor.insert_slice";
       put = ir.Definition(array)) {
    const auto place = ReadSlice(ir, put);
    const MlirValue part = ir.Operands(put).at(0);
    // A part may have fewer dimensions than what it is put into.
    if (!place || ir.api.mlirShapedTypeGetRank(ir.api.mlirValueGetType(part)) !=
                      static_cast<int64_t>(place->sizes.size())) {
      break;
    }
    if (AreApart(slice, *place)) {
      array = ir.Operands(put).at(1);
    } else if (const auto within = Within(slice, *place)) {
      array = part;
      slice = *within;
      found = Part{array, slice};
    } else {
      break;
    }
  }
  return found;
}

}  // namespace

void TakeFromParts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "tensor.extract_slice") continue;
    const auto slice = ReadSlice(ir, op);
    if (!slice) continue;
    if (const auto part = FindPart(ir, ir.Operands(op).at(0), *slice)) {
      ir.Replace(op, {MakeSlice(ir, op, part->array, part->slice,
                                ir.ResultTypes(op).at(0))});
    }
  }
}

}  // namespace iree_pjrt
