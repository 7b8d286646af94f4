// SPDX-License-Identifier: Apache-2.0
// Arrays that a loop takes the element of its own place from, as gathers take
// their indices. IREE (3.11, 3.13) makes such an array before, with the
// arithmetic that wraps and clamps what it holds, in a dispatch of its own for
// each. The pass makes it an input; what makes an input is fused.
//
// Indices that a row shares stay: the row is then read as one vector.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// The loops of the generic that index what is taken, one for each dimension;
// nothing if it is indexed otherwise, or some elements share what they take.
std::optional<LoopList> LoopsTaken(const Ir& ir, MlirOperation extract,
                                   const std::vector<int64_t>& extents) {
  const std::vector<MlirValue> operands = ir.Operands(extract);
  const auto array = ArrayTypeOf(ir, operands.at(0));
  if (!array) return std::nullopt;
  LoopList loops;
  size_t next = 0;
  const auto pass_single = [&] {
    while (next < extents.size() && extents[next] == 1) ++next;
  };
  for (size_t i = 0; i < array->shape.size(); ++i) {
    if (array->shape[i] == 1) {
      loops.push_back(kNoLoop);
      continue;
    }
    pass_single();
    const auto loop = LoopOf(ir, operands.at(i + 1));
    if (!loop || std::cmp_not_equal(*loop, next) ||
        extents.at(next) != array->shape[i]) {
      return std::nullopt;
    }
    loops.push_back(*loop);
    ++next;
  }
  pass_single();
  if (next != extents.size()) return std::nullopt;
  return loops;
}

// How often each loop of an elementwise generic of one result turns.
std::optional<std::vector<int64_t>> ExtentsOf(const Ir& ir, MlirOperation op) {
  if (!IsElementwise(ir, op) || ir.Results(op).size() != 1) return std::nullopt;
  const auto result = ArrayTypeOf(ir, ir.Results(op)[0]);
  if (!result ||
      IndexingMaps(ir, op).back() != AllLoops(std::ssize(result->shape))) {
    return std::nullopt;
  }
  return result->shape;
}

void TakeAsInputs(const Ir& ir, MlirOperation op,
                  const std::vector<int64_t>& extents) {
  std::vector<MlirOperation> extracts;
  std::vector<MlirValue> arrays;
  std::vector<LoopList> maps;
  for (const MlirOperation inner : ir.OperationsOf(ir.Body(op))) {
    if (ir.Name(inner) != "tensor.extract") continue;
    const auto loops = LoopsTaken(ir, inner, extents);
    if (!loops) continue;
    extracts.push_back(inner);
    arrays.push_back(ir.api.mlirOperationGetOperand(inner, 0));
    maps.push_back(*loops);
  }
  if (extracts.empty()) return;
  const std::vector<MlirValue> elements = AddInputs(ir, op, arrays, maps);
  for (size_t i = 0; i < extracts.size(); ++i) {
    ir.Replace(extracts[i], {elements[i]});
  }
}

}  // namespace

void TakeIndicesAsInputs(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (const auto extents = ExtentsOf(ir, op)) TakeAsInputs(ir, op, *extents);
  }
}

}  // namespace iree_pjrt
