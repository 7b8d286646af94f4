// SPDX-License-Identifier: Apache-2.0
// Tokens order calls that IREE keeps in order anyway. It has no type for them:
// they become what JAX passes for them, tensors of no bits.
#include <string>

#include "rewrite/rewrites.h"

namespace iree_pjrt {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {"!vhlo.token_v1", "!vhlo.tensor_v1<0x!vhlo.bool_v1>"},
    {"!stablehlo.token", "tensor<0xi1>"}};

class TokenRewriter {
 public:
  explicit TokenRewriter(const Ir& ir) : ir_(ir) {
    for (const auto& [from, to] : kTypes) {
      types_.emplace_back(ir.ParseType(from), ir.ParseType(to));
    }
  }

  void Rewrite(MlirOperation op) const {
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumResults(op); ++i) {
      Retype(ir_.api.mlirOperationGetResult(op, i));
    }
    for (intptr_t i = 0; i < ir_.api.mlirOperationGetNumRegions(op); ++i) {
      RetypeArguments(ir_.api.mlirOperationGetRegion(op, i));
    }
    constexpr std::string_view kType = "function_type";
    const std::string type = ir_.Print(ir_.Attribute(op, kType));
    if (std::string changed = Replaced(type); changed != type) {
      ir_.api.mlirOperationSetAttributeByName(op, {kType.data(), kType.size()},
                                              ir_.Parse(changed));
    }
    const std::string_view name = StablehloName(ir_.Name(op));
    if (name == "create_token" || name == "after_all") MakeConstant(op);
  }

 private:
  // In the type of a function, printed.
  static std::string Replaced(std::string text) {
    for (const auto& [from, to] : kTypes) {
      for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
        text.replace(at, from.size(), to);
      }
    }
    return text;
  }

  void Retype(MlirValue value) const {
    const MlirType type = ir_.api.mlirValueGetType(value);
    for (const auto& [from, to] : types_) {
      if (ir_.api.mlirTypeEqual(type, from)) {
        ir_.api.mlirValueSetType(value, to);
      }
    }
  }

  void RetypeArguments(MlirRegion region) const {
    for (MlirBlock block = ir_.api.mlirRegionGetFirstBlock(region); block.ptr;
         block = ir_.api.mlirBlockGetNextInRegion(block)) {
      const intptr_t count = ir_.api.mlirBlockGetNumArguments(block);
      for (intptr_t i = 0; i < count; ++i) {
        Retype(ir_.api.mlirBlockGetArgument(block, i));
      }
    }
  }

  void MakeConstant(MlirOperation op) const {
    const bool vhlo = ir_.Name(op).starts_with("vhlo.");
    const std::string none = "dense<> : tensor<0xi1>";
    const MlirOperation made = ir_.CreateBefore(
        op, vhlo ? "vhlo.constant_v1" : "stablehlo.constant", {},
        ir_.ResultTypes(op),
        {ir_.Named("value",
                   ir_.Parse(vhlo ? "#vhlo.tensor_v1<" + none + ">" : none))});
    ir_.Replace(op, {ir_.api.mlirOperationGetResult(made, 0)});
  }

  const Ir& ir_;
  std::vector<std::pair<MlirType, MlirType>> types_;
};

}  // namespace

void RewriteTokens(const Ir& ir) {
  const TokenRewriter rewriter(ir);
  for (MlirOperation op : ir.AllOperations()) rewriter.Rewrite(op);
}

}  // namespace iree_pjrt
