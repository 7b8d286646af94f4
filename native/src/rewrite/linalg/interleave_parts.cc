// SPDX-License-Identifier: Apache-2.0
// Arrays put together of columns: jnp.stack((x, y), -1). IREE (3.11, 3.13)
// copies each column to its place in a dispatch of its own, one element after
// the other. The pass chooses between the columns, which is one elementwise
// operation; also where the columns are rows that are transposed then, as
// jnp.cross has them.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "mlir/scalar_builder.h"
#include "mlir/slices.h"
#include "rewrite/linalg/passes.h"
#include "rewrite/linalg/work.h"

namespace iree_pjrt {
namespace {

// More columns are not copied, but chosen between for longer.
constexpr int64_t kMostColumns = 16;
// In additions: from there on, IREE's computing a column again for each of the
// others costs more than an array that is written and read.
constexpr int64_t kMostAgain = 24;

bool Puts(const Ir& ir, MlirOperation op) {
  return op.ptr && ir.Name(op) == "tensor.insert_slice";
}

// Whether the array goes nowhere but into another part's place beside it.
bool IsPutInto(const Ir& ir, MlirValue array) {
  const std::vector<Use> uses = ir.Uses(array);
  return uses.size() == 1 && Puts(ir, uses[0].user) && uses[0].operand == 1;
}

// The dimension of the array that this part is one place of; nothing if it is
// another part.
std::optional<size_t> PlaceOf(const std::vector<int64_t>& shape,
                              const Slice& part) {
  std::optional<size_t> along;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (part.steps[d] != 1) return std::nullopt;
    if (part.sizes[d] == shape[d]) continue;
    if (along || part.sizes[d] != 1) return std::nullopt;
    along = d;
  }
  return along;
}

struct Columns {
  std::vector<MlirValue> parts;
  size_t dimension;
};

// The parts that an array is put together of, each of one place along a
// dimension, the last of which `put` puts there.
std::optional<Columns> ColumnsOf(const Ir& ir, MlirOperation put) {
  const auto type = ArrayTypeOf(ir, ir.Results(put)[0]);
  if (!type || type->shape.size() < 2) return std::nullopt;
  Columns columns;
  std::optional<size_t> along;
  int64_t left = 0;
  for (MlirOperation op = put; Puts(ir, op);
       op = ir.Definition(ir.Operands(op)[1])) {
    if (op.ptr != put.ptr && !IsPutInto(ir, ir.Results(op)[0])) break;
    const auto slice = ReadSlice(ir, op);
    const MlirValue part = ir.Operands(op)[0];
    if (!slice || ir.api.mlirShapedTypeGetRank(ir.api.mlirValueGetType(part)) !=
                      std::ssize(type->shape)) {
      return std::nullopt;
    }
    const auto place = PlaceOf(type->shape, *slice);
    if (!place || (along && *along != *place)) return std::nullopt;
    if (!along) {
      along = place;
      left = type->shape[*place];
      if (left > kMostColumns) return std::nullopt;
      columns.dimension = *place;
      columns.parts.assign(static_cast<size_t>(left), {nullptr});
    }
    MlirValue& column =
        columns.parts.at(static_cast<size_t>(slice->offsets[*place]));
    if (!column.ptr) {
      column = part;
      --left;
    }
    if (left == 0) return columns;
  }
  return std::nullopt;
}

// Where each dimension of an array is in `result`, which may be the array
// transposed.
struct Turned {
  MlirOperation result;
  LoopList loops;
};

// Whether a generic does nothing but transpose its input.
bool IsTransposition(const Ir& ir, MlirOperation op) {
  if (!IsElementwise(ir, op) || ir.Operands(op).size() != 2) return false;
  const MlirOperation first = ir.api.mlirBlockGetFirstOperation(ir.Body(op));
  LoopList loops = IndexingMaps(ir, op).at(0);
  const LoopList result = IndexingMaps(ir, op).at(1);
  std::ranges::sort(loops);
  return ir.Name(first) == "linalg.yield" &&
         ir.api.mlirOperationGetOperand(first, 0).ptr ==
             ir.api.mlirBlockGetArgument(ir.Body(op), 0).ptr &&
         loops == result && result == AllLoops(std::ssize(result));
}

Turned TurnedOf(const Ir& ir, MlirOperation put) {
  const MlirValue array = ir.Results(put)[0];
  const std::vector<Use> uses = ir.Uses(array);
  if (uses.size() == 1 && IsTransposition(ir, uses[0].user)) {
    return {uses[0].user, IndexingMaps(ir, uses[0].user).at(0)};
  }
  return {
      put,
      AllLoops(ir.api.mlirShapedTypeGetRank(ir.api.mlirValueGetType(array)))};
}

// Each element of its column.
void Choose(const Ir& ir, const Turned& turned, const Columns& columns) {
  const MlirOperation op = turned.result;
  const MlirType type = ir.ResultTypes(op).at(0);
  LoopList map = turned.loops;
  const int64_t column = map.at(columns.dimension);
  map.at(columns.dimension) = kNoLoop;
  std::vector<MlirValue> operands = columns.parts;
  std::vector<LoopList> maps(operands.size(), map);
  operands.push_back(
      ir.Results(ir.CreateBefore(op, "tensor.empty", {}, {type}, {})).at(0));
  maps.push_back(AllLoops(std::ssize(map)));
  const MlirOperation made = MakeGeneric(ir, op, operands, maps, {type});
  const MlirBlock body = AddElementBody(ir, made);
  const auto element = [&](size_t i) {
    return ir.api.mlirBlockGetArgument(body, static_cast<intptr_t>(i));
  };
  const size_t last = columns.parts.size() - 1;
  const MlirOperation end =
      ir.AppendTo(body, ir.api.mlirOperationGetLocation(made), "linalg.yield",
                  {element(last)});
  const ScalarBuilder numbers(ir, end, ir.ParseType("i32"));
  const MlirValue number =
      numbers.Apply("arith.index_cast", {MakeLoopIndex(ir, end, column)});
  const ScalarBuilder elements(ir, end);
  MlirValue chosen = element(last);
  for (size_t i = last; i-- > 0;) {
    const MlirValue is_this = numbers.IntegersEqual(
        number, numbers.Constant(static_cast<int64_t>(i)));
    chosen = elements.Select(is_this, element(i), chosen);
  }
  ir.api.mlirOperationSetOperand(end, 0, chosen);
  ir.Replace(op, ir.Results(made));
}

void Interleave(const Ir& ir, MlirOperation put) {
  const auto columns = ColumnsOf(ir, put);
  if (!columns) return;
  const Turned turned = TurnedOf(ir, put);
  if (turned.loops.at(columns->dimension) != std::ssize(turned.loops) - 1) {
    return;
  }
  const auto count = std::ssize(columns->parts);
  const auto most = static_cast<int>(kMostAgain / count);
  for (const MlirValue part : columns->parts) {
    if (WorkFor(ir, part, most) >= most) {
      ir.PutBehindBarrier(ir.BeforeReshapes(part));
    }
  }
  Choose(ir, turned, *columns);
}

}  // namespace

void InterleaveParts(const Ir& ir) {
  std::vector<MlirOperation> last;
  for (const MlirOperation op : ir.AllOperations()) {
    if (Puts(ir, op) && !IsPutInto(ir, ir.Results(op)[0])) last.push_back(op);
  }
  for (const MlirOperation put : last) Interleave(ir, put);
}

}  // namespace iree_pjrt
