// SPDX-License-Identifier: Apache-2.0
#include "mlir/generics.h"

#include <sstream>
#include <string>

namespace iree_pjrt {

bool IsGeneric(const Ir& ir, MlirOperation op) {
  return op.ptr && ir.Name(op) == "linalg.generic";
}

bool IsReduction(const Ir& ir, MlirOperation op) {
  return IsGeneric(ir, op) &&
         ir.Print(ir.Attribute(op, "iterator_types")).find("reduction") !=
             std::string::npos;
}

bool IsElementwise(const Ir& ir, MlirOperation op) {
  return IsGeneric(ir, op) && !IsReduction(ir, op);
}

bool SameElements(const Ir& ir, MlirValue one, MlirValue other) {
  const auto elements = [&](MlirValue value) {
    return ir.api.mlirShapedTypeGetElementType(ir.api.mlirValueGetType(value));
  };
  return ir.api.mlirTypeEqual(elements(one), elements(other));
}

bool IsContraction(const Ir& ir, MlirOperation op) {
  return ir.api.mlirOperationGetNumOperands(op) == 3 && IsReduction(ir, op);
}

std::vector<std::vector<int64_t>> IndexingMaps(const Ir& ir, MlirOperation op) {
  std::vector<std::vector<int64_t>> maps;
  const std::string text = ir.Print(ir.Attribute(op, "indexing_maps"));
  constexpr std::string_view kResults = " -> (";
  for (size_t at = text.find(kResults); at != std::string::npos;
       at = text.find(kResults, at)) {
    at += kResults.size();
    std::istringstream results(text.substr(at, text.find(")>", at) - at));
    std::vector<int64_t>& map = maps.emplace_back();
    for (std::string one; std::getline(results >> std::ws, one, ',');) {
      const bool loop =
          one[0] == 'd' &&
          one.find_first_not_of("0123456789", 1) == std::string::npos;
      map.push_back(loop ? std::stoll(one.substr(1)) : kNoLoop);
    }
  }
  return maps;
}

MlirOperation YieldedBy(const Ir& ir, MlirOperation op) {
  if (!IsGeneric(ir, op)) return {nullptr};
  const MlirOperation end = ir.Terminator(ir.Body(op));
  if (ir.api.mlirOperationGetNumOperands(end) != 1) return {nullptr};
  return ir.Definition(ir.api.mlirOperationGetOperand(end, 0));
}

}  // namespace iree_pjrt
