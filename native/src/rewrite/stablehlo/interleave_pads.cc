// SPDX-License-Identifier: Apache-2.0
// Two arrays whose elements take turns, as jax.lax.associative_scan writes it:
// the sum of both, each padded with a zero after every element. IREE (3.13)
// writes both padded arrays, and then adds them. The pass chooses between them,
// which is one operation.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/padding.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

constexpr std::array<std::string_view, 7> kCombiners = {
    "add", "and", "maximum", "minimum", "multiply", "or", "xor"};

// An array of which only every other place along one dimension is not `fill`.
struct Turns {
  MlirValue array;
  MlirValue fill;
  size_t dimension;
  int64_t first;  // 0 or 1
};

std::optional<Turns> ReadTurns(const Ir& ir, MlirValue padded) {
  const MlirOperation op = ir.Definition(padded);
  if (!op.ptr || StablehloName(ir.Name(op)) != "pad" ||
      ir.Uses(padded).size() != 1) {
    return std::nullopt;
  }
  const auto [low, high, interior] = ReadPadding(ir, op);
  const auto found = std::ranges::find(interior, 1);
  if (found == interior.end()) return std::nullopt;
  const auto d = static_cast<size_t>(found - interior.begin());
  for (size_t i = 0; i < interior.size(); ++i) {
    if (i != d && (interior[i] != 0 || low[i] != 0 || high[i] != 0)) {
      return std::nullopt;
    }
  }
  const bool turns =
      (low[d] == 0 || low[d] == 1) && high[d] >= 0 && high[d] <= 1;
  if (!turns) return std::nullopt;
  return Turns{ir.Operands(op).at(0), ir.Operands(op).at(1), d, low[d]};
}

// An element of one array at the side of each of the other, `first` before
// `second`; both of one shape.
MlirValue Paired(const StablehloBuilder& builder, MlirValue first,
                 MlirValue second, size_t dimension) {
  Dims shape = builder.ShapeOf(first);
  Dims along = UpTo(shape.size());
  for (size_t d = dimension + 1; d < along.size(); ++d) ++along[d];
  const auto pair = static_cast<int64_t>(dimension) + 1;
  shape.insert(shape.begin() + pair, 2);
  const MlirValue is_first = builder.Compare(
      "EQ", builder.Iota(shape, "i32", pair), builder.Splat(shape, "i32", 0));
  const MlirValue pairs =
      builder.Select(is_first, builder.Broadcast(first, shape, along),
                     builder.Broadcast(second, shape, along));
  shape.erase(shape.begin() + pair);
  shape[dimension] *= 2;
  return builder.Reshape(pairs, shape);
}

// `other` is what `fill` is combined with.
MlirValue Filled(const StablehloBuilder& builder, MlirValue fill,
                 MlirValue other) {
  return builder.Broadcast(fill, builder.ShapeOf(other), {});
}

void Interleave(const Ir& ir, MlirOperation op) {
  const auto one = ReadTurns(ir, ir.Operands(op).at(0));
  const auto other = ReadTurns(ir, ir.Operands(op).at(1));
  if (!one || !other || one->dimension != other->dimension ||
      one->first == other->first) {
    return;
  }
  const StablehloBuilder builder(ir, op);
  const std::string name(StablehloName(ir.Name(op)));
  const size_t d = one->dimension;
  MlirValue mine = builder.Apply(
      name, {one->array, Filled(builder, other->fill, one->array)});
  MlirValue theirs = builder.Apply(
      name, {Filled(builder, one->fill, other->array), other->array});
  if (one->first == 1) std::swap(mine, theirs);
  const Dims shape = builder.ShapeOf(mine);
  if (HasNoElements(builder.ShapeOf(theirs))) return;
  if (shape.at(d) != builder.ShapeOf(theirs).at(d)) {
    Dims more(shape.size(), 0);
    more[d] = 1;
    const Dims none(shape.size(), 0);
    theirs = builder.Pad(theirs, other->fill, none, more, none);
  }
  const Dims result = builder.ShapeOf(ir.Results(op).at(0));
  ir.Replace(op, {builder.Slice(Paired(builder, mine, theirs, d),
                                Dims(result.size(), 0), result)});
}

}  // namespace

void InterleavePads(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view name = StablehloName(ir.Name(op));
    if (std::ranges::find(kCombiners, name) != kCombiners.end()) {
      Interleave(ir, op);
    }
  }
}

}  // namespace iree_pjrt
