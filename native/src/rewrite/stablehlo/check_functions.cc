// SPDX-License-Identifier: Apache-2.0
// VHLO does not verify the attributes of functions. A function whose type
// attribute is no function type ends the process when MLIR prints or converts
// it.
#include "base/status.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

struct Expected {
  std::string_view name;
  std::string_view printed;  // its first characters
  bool optional;
};

constexpr Expected kExpected[] = {
    {"sym_name", "#vhlo.string_v1<", false},
    {"function_type", "#vhlo.type_v1<!vhlo.func_v1<", false},
    {"sym_visibility", "#vhlo.string_v1<", true},
    {"arg_attrs", "#vhlo.array_v1<", true},
    {"res_attrs", "#vhlo.array_v1<", true},
};

void CheckFunction(const Ir& ir, MlirOperation function) {
  for (const Expected& expected : kExpected) {
    const MlirAttribute attribute = ir.Attribute(function, expected.name);
    if (!attribute.ptr && expected.optional) continue;
    if (!attribute.ptr || !ir.Print(attribute).starts_with(expected.printed)) {
      ThrowInvalidArgument("a function of the program has a wrong '" +
                           std::string(expected.name) + "'");
    }
  }
}

}  // namespace

void CheckFunctions(const Ir& ir) {
  for (MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) == "vhlo.func_v1") CheckFunction(ir, op);
  }
}

}  // namespace iree_pjrt
