// SPDX-License-Identifier: Apache-2.0
// IREE 3.11's analysis of affinities takes the n-th value that a loop carries
// for the loop's n-th result, also where there are fewer results: it reads past
// their end and crashes. Such a loop forwards its condition in the place of the
// results that are missing. Nothing uses them, and IREE drops them later.
#include "rewrite/rewrites.h"

namespace iree_pjrt {
namespace {

void Widen(const Ir& ir, MlirOperation loop, intptr_t missing) {
  const MlirRegion before = ir.api.mlirOperationGetRegion(loop, 0);
  const MlirRegion after = ir.api.mlirOperationGetRegion(loop, 1);
  const MlirOperation condition =
      ir.Terminator(ir.api.mlirRegionGetFirstBlock(before));
  const MlirType i1 = ir.api.mlirIntegerTypeGet(ir.context, 1);
  std::vector<MlirValue> forwarded = ir.Operands(condition);
  std::vector<MlirType> results = ir.ResultTypes(loop);
  const auto result_count = static_cast<intptr_t>(results.size());
  for (intptr_t i = 0; i < missing; ++i) {
    forwarded.push_back(forwarded.front());
    results.push_back(i1);
    ir.api.mlirBlockAddArgument(ir.api.mlirRegionGetFirstBlock(after), i1,
                                ir.api.mlirOperationGetLocation(loop));
  }
  ir.CreateBefore(condition, "scf.condition", forwarded, {}, {});
  ir.api.mlirOperationDestroy(condition);
  const MlirOperation wide =
      ir.CreateBefore(loop, "scf.while", ir.Operands(loop), results, {}, 2);
  ir.api.mlirRegionTakeBody(ir.api.mlirOperationGetRegion(wide, 0), before);
  ir.api.mlirRegionTakeBody(ir.api.mlirOperationGetRegion(wide, 1), after);
  std::vector<MlirValue> values;
  for (intptr_t i = 0; i < result_count; ++i) {
    values.push_back(ir.api.mlirOperationGetResult(wide, i));
  }
  ir.Replace(loop, values);
}

}  // namespace

void WidenLoops(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "scf.while") continue;
    const intptr_t missing = ir.api.mlirOperationGetNumOperands(op) -
                             ir.api.mlirOperationGetNumResults(op);
    if (missing > 0) Widen(ir, op, missing);
  }
}

}  // namespace iree_pjrt
