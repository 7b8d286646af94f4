// SPDX-License-Identifier: Apache-2.0
// Arrays put together of columns: jnp.stack((x, y), -1). IREE (3.11, 3.13)
// copies each column to its place in a dispatch of its own, one element after
// the other. The pass chooses between the columns, which is one elementwise
// operation; also where the columns are rows that are transposed then, as
// jnp.cross has them, and where some columns are one number, as in the gradient
// of x[:, 1].
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/attributes.h"
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

struct Column {
  int64_t place;
  MlirValue part;
};

struct Columns {
  size_t dimension;
  int64_t count;
  std::vector<Column> parts;
  // What all other columns are; null if there are none.
  MlirValue others{nullptr};
};

bool Has(const Columns& columns, int64_t place) {
  return std::ranges::any_of(columns.parts, [place](const Column& column) {
    return column.place == place;
  });
}

// Adds what `op` puts into an array. Whether it is a column of it, along the
// dimension of those there are.
bool AddPart(const Ir& ir, MlirOperation op, const std::vector<int64_t>& shape,
             Columns& columns) {
  const auto slice = ReadSlice(ir, op);
  const MlirValue part = ir.Operands(op)[0];
  if (!slice || ir.api.mlirShapedTypeGetRank(ir.api.mlirValueGetType(part)) !=
                    std::ssize(shape)) {
    return false;
  }
  const auto along = PlaceOf(shape, *slice);
  if (!along || (columns.count && columns.dimension != *along)) return false;
  columns.dimension = *along;
  columns.count = shape[*along];
  const int64_t place = slice->offsets[*along];
  // What is put there later stays.
  if (!Has(columns, place)) columns.parts.push_back({place, part});
  return std::ssize(columns.parts) <= kMostColumns;
}

// The columns that an array is put together of, the last of which `put` puts
// there.
std::optional<Columns> PutTogether(const Ir& ir, MlirOperation put) {
  const auto type = ArrayTypeOf(ir, ir.Results(put)[0]);
  if (!type || type->shape.size() < 2) return std::nullopt;
  Columns columns{};
  MlirOperation op = put;
  while (Puts(ir, op) &&
         (op.ptr == put.ptr || IsPutInto(ir, ir.Results(op)[0]))) {
    if (!AddPart(ir, op, type->shape, columns)) return std::nullopt;
    if (std::ssize(columns.parts) == columns.count) return columns;
    op = ir.Definition(ir.Operands(op)[1]);
  }
  if (!op.ptr || ir.Name(op) != "linalg.fill") return std::nullopt;
  columns.others = ir.Operands(op)[0];
  return columns;
}

// The column that is padded to an array.
std::optional<Columns> Padded(const Ir& ir, MlirOperation pad) {
  const MlirValue part = ir.Operands(pad).at(0);
  const auto from = ArrayTypeOf(ir, part);
  const auto to = ArrayTypeOf(ir, ir.Results(pad)[0]);
  const MlirValue number =
      ir.api.mlirOperationGetOperand(ir.Terminator(ir.Body(pad)), 0);
  if (!from || !to || to->shape.size() < 2 ||
      ir.api.mlirOperationGetNumOperands(pad) != 1 ||
      ir.HomeOf(number).ptr == ir.Body(pad).ptr) {
    return std::nullopt;
  }
  const std::vector<int64_t> low =
      ReadIntegers(ir, ir.Attribute(pad, "static_low"));
  const std::vector<int64_t> high =
      ReadIntegers(ir, ir.Attribute(pad, "static_high"));
  Columns columns{};
  for (size_t d = 0; d < to->shape.size(); ++d) {
    if (low.at(d) == 0 && high.at(d) == 0) continue;
    if (low[d] < 0 || high[d] < 0 || columns.count || from->shape[d] != 1) {
      return std::nullopt;
    }
    columns = {d, to->shape[d], {{low[d], part}}, number};
  }
  if (!columns.count) return std::nullopt;
  return columns;
}

std::optional<Columns> ColumnsOf(const Ir& ir, MlirOperation op) {
  return Puts(ir, op) ? PutTogether(ir, op) : Padded(ir, op);
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

// What values of the type are chosen between as. LLVM takes short vectors of
// bfloat16 apart: three columns of a million take four times as long.
MlirType BitsOf(const Ir& ir, MlirType type) {
  return ir.Print(type) == "bf16" ? ir.ParseType("i16") : type;
}

// Each element of its column.
void Choose(const Ir& ir, const Turned& turned, const Columns& columns) {
  const MlirOperation op = turned.result;
  const MlirType type = ir.ResultTypes(op).at(0);
  LoopList map = turned.loops;
  const int64_t loop = map.at(columns.dimension);
  map.at(columns.dimension) = kNoLoop;
  std::vector<MlirValue> operands;
  for (const Column& column : columns.parts) operands.push_back(column.part);
  std::vector<LoopList> maps(operands.size(), map);
  operands.push_back(
      ir.Results(ir.CreateBefore(op, "tensor.empty", {}, {type}, {})).at(0));
  maps.push_back(AllLoops(std::ssize(map)));
  const MlirOperation made = MakeGeneric(ir, op, operands, maps, {type});
  const MlirBlock body = AddElementBody(ir, made);
  const auto element = [&](size_t i) {
    return ir.api.mlirBlockGetArgument(body, static_cast<intptr_t>(i));
  };
  size_t left = columns.parts.size();
  MlirValue chosen = columns.others.ptr ? columns.others : element(--left);
  const MlirOperation end = ir.AppendTo(
      body, ir.api.mlirOperationGetLocation(made), "linalg.yield", {chosen});
  const ScalarBuilder numbers(ir, end, ir.ParseType("i32"));
  const MlirValue number =
      numbers.Apply("arith.index_cast", {MakeLoopIndex(ir, end, loop)});
  const MlirType element_type = ir.api.mlirValueGetType(chosen);
  const ScalarBuilder bits(ir, end, BitsOf(ir, element_type));
  chosen = bits.Bitcast(chosen);
  while (left-- > 0) {
    const MlirValue is_here = numbers.IntegersEqual(
        number, numbers.Constant(columns.parts[left].place));
    chosen = bits.Select(is_here, bits.Bitcast(element(left)), chosen);
  }
  ir.api.mlirOperationSetOperand(
      end, 0, ScalarBuilder(ir, end, element_type).Bitcast(chosen));
  ir.Replace(op, ir.Results(made));
}

void Interleave(const Ir& ir, MlirOperation op) {
  const auto columns = ColumnsOf(ir, op);
  if (!columns) return;
  const Turned turned = TurnedOf(ir, op);
  if (turned.loops.at(columns->dimension) != std::ssize(turned.loops) - 1) {
    return;
  }
  const auto most =
      static_cast<int>(std::max<int64_t>(kMostAgain / columns->count, 1));
  for (const Column& column : columns->parts) {
    if (WorkFor(ir, column.part, most) >= most) {
      ir.PutBehindBarrier(ir.BeforeReshapes(column.part));
    }
  }
  Choose(ir, turned, *columns);
}

}  // namespace

void InterleaveParts(const Ir& ir) {
  std::vector<MlirOperation> last;
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) == "tensor.pad" ||
        (Puts(ir, op) && !IsPutInto(ir, ir.Results(op)[0]))) {
      last.push_back(op);
    }
  }
  for (const MlirOperation op : last) Interleave(ir, op);
}

}  // namespace iree_pjrt
