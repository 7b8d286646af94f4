// SPDX-License-Identifier: Apache-2.0
// Products of packed arrays (mmt4d). What IREE (3.11, 3.13) compiles them to
// widens 8-bit integers and bfloat16 before it multiplies; its microkernels for
// x86-64 multiply pairs: 1024 cubed of integers in 5.7 ms instead of 28, of
// bfloat16 with AVX-512 in 10.6 instead of 28. Of other types they are no
// faster, and of bfloat16 without AVX-512 they are scalar: 730 ms.
#include <algorithm>
#include <string>
#include <vector>

#include "rewrite/dispatch/executable_target.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

bool IsFasterByKernel(const Ir& ir, MlirOperation product) {
  const std::vector<MlirValue> operands = ir.Operands(product);
  const auto element = [&](size_t i) {
    return ir.Print(ir.api.mlirShapedTypeGetElementType(
        ir.api.mlirValueGetType(operands.at(i))));
  };
  const std::string factor = element(0);
  if (!IsForX86(ir, product) || factor != element(1)) return false;
  return (factor == "i8" && element(2) == "i32" &&
          TargetHas(ir, product, "avx2")) ||
         (factor == "bf16" && element(2) == "f32" &&
          TargetHas(ir, product, "avx512f"));
}

}  // namespace

void CallMicrokernels(const Ir& ir) {
  std::vector<MlirOperation> products = ir.AllOperations();
  std::erase_if(products, [&](MlirOperation op) {
    return ir.Name(op) != "linalg.mmt4d" && ir.Name(op) != "linalg.batch_mmt4d";
  });
  // The option is one for all executables.
  if (!products.empty() &&
      std::ranges::all_of(products, [&](MlirOperation product) {
        return IsFasterByKernel(ir, product);
      })) {
    SetTargetOption(ir, "ukernels", "\"mmt4d\"");
  }
}

}  // namespace iree_pjrt
