// SPDX-License-Identifier: Apache-2.0
// Parts of a complex number that are known where the number is made, such as
// the zero imaginary part of a converted real number. IREE 3.11 finds such a
// part within a dispatch. If two results of the dispatch are then equal, IREE
// returns the first result of the dispatch in place of the second one.
#include "mlir/generics.h"
#include "rewrite/linalg/passes.h"

namespace iree_pjrt {
namespace {

// The part of a complex constant that is all the generic computes; null if it
// computes anything else.
MlirAttribute KnownPart(const Ir& ir, MlirOperation generic) {
  const MlirOperation part = YieldedBy(ir, generic);
  if (!part.ptr) return {nullptr};
  const std::string_view name = ir.Name(part);
  if (name != "complex.re" && name != "complex.im") return {nullptr};
  const MlirOperation whole = YieldedBy(
      ir,
      ir.DefinitionBeforeReshapes(ir.api.mlirOperationGetOperand(generic, 0)));
  if (!whole.ptr || ir.Name(whole) != "complex.create") return {nullptr};
  const MlirOperation made = ir.Definition(
      ir.api.mlirOperationGetOperand(whole, name == "complex.im"));
  if (!made.ptr || ir.Name(made) != "arith.constant") return {nullptr};
  return ir.Attribute(made, "value");
}

}  // namespace

void FoldKnownParts(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const MlirAttribute part = KnownPart(ir, op);
    const MlirType type =
        ir.ResultTypes(op).empty() ? MlirType{nullptr} : ir.ResultTypes(op)[0];
    if (!part.ptr || !ir.api.mlirShapedTypeHasStaticShape(type)) continue;
    const std::string number = ir.Print(part);
    const MlirOperation splat = ir.CreateBefore(
        op, "arith.constant", {}, {type},
        {ir.Named("value",
                  ir.Parse("dense<" + number.substr(0, number.find(' ')) +
                           "> : " + ir.Print(type)))});
    ir.Replace(op, {ir.api.mlirOperationGetResult(splat, 0)});
  }
}

}  // namespace iree_pjrt
