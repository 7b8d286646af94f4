// SPDX-License-Identifier: Apache-2.0
// Iotas of floats of 8 and 16 bits. IREE 3.11 and 3.13 count them in integers
// of as many bits, which wrap around: jnp.arange(40000, dtype=bfloat16) ends
// below zero.
#include <cstdint>
#include <string>
#include <string_view>

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// The largest count that fits into signed integers of the element's width; 0
// where it needs no care.
int64_t MostIn(std::string_view element) {
  if (element.starts_with("f8")) return INT8_MAX;
  return element == "bf16" || element == "f16" ? INT16_MAX : 0;
}

}  // namespace

void WidenIotas(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "iota") continue;
    const MlirValue result = ir.Results(op).at(0);
    const auto type = ArrayTypeOf(ir, result);
    if (!type) continue;
    const std::string element = type->Element();
    const int64_t most = MostIn(element);
    const int64_t dimension =
        ReadInteger(ir, BuiltinAttribute(ir, op, "iota_dimension"));
    if (most == 0 || type->shape.at(static_cast<size_t>(dimension)) <= most) {
      continue;
    }
    const StablehloBuilder builder(ir, op);
    ir.Replace(op, {builder.Convert(builder.Iota(type->shape, "f32", dimension),
                                    element)});
  }
}

}  // namespace iree_pjrt
