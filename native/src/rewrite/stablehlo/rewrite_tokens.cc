// SPDX-License-Identifier: Apache-2.0
// Tokens order calls, which IREE keeps in order anyway. IREE has no type for
// tokens. The pass turns them into what JAX passes for them: tensors of no
// bits.
#include <string>

#include "base/text.h"
#include "mlir/retype.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {"!vhlo.token_v1", "!vhlo.tensor_v1<0x!vhlo.bool_v1>"},
    {"!stablehlo.token", "tensor<0xi1>"}};

std::string WithoutTokens(std::string text) {
  for (const auto& [from, to] : kTypes) ReplaceAll(text, from, to);
  return text;
}

void MakeConstant(const Ir& ir, MlirOperation op) {
  const bool vhlo = IsVhlo(ir.Name(op));
  const std::string none = "dense<> : tensor<0xi1>";
  const MlirOperation made = ir.CreateBefore(
      op, StablehloNameLike(ir.Name(op), "constant"), {}, ir.ResultTypes(op),
      {ir.Named("value",
                ir.Parse(vhlo ? "#vhlo.tensor_v1<" + none + ">" : none))});
  ir.Replace(op, {ir.api.mlirOperationGetResult(made, 0)});
}

}  // namespace

void RewriteTokens(const Ir& ir) {
  Retyper retyper(ir, &WithoutTokens);
  for (const MlirOperation op : ir.AllOperations()) {
    retyper.Retype(op);
    const std::string_view name = StablehloName(ir.Name(op));
    if (name == "create_token" || name == "after_all") MakeConstant(ir, op);
  }
}

}  // namespace iree_pjrt
