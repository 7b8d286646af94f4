// SPDX-License-Identifier: Apache-2.0
#include "rewrite/dispatch/executable_target.h"

#include <string>

namespace iree_pjrt {
namespace {

constexpr std::string_view kVariant = "hal.executable.variant";

// The target of the variant that encloses `op`; empty without one.
std::string TargetOf(const Ir& ir, MlirOperation op) {
  const MlirOperation variant = ir.Enclosing(op, kVariant);
  return variant.ptr ? ir.Print(ir.Attribute(variant, "target")) : "";
}

bool Holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

void SetOption(const Ir& ir, MlirOperation variant, std::string_view name,
               std::string_view value) {
  std::string target = ir.Print(ir.Attribute(variant, "target"));
  const size_t options = target.find('{');
  if (options == std::string::npos || !Holds(target, "\"llvm-cpu\"")) return;
  const std::string option = std::string(name) + " = ";
  const size_t before = target.find(option);
  if (before == std::string::npos) {
    target.insert(options + 1, option + std::string(value) + ", ");
  } else {
    const size_t from = before + option.size();
    target.replace(from, target.find_first_of(",}", from) - from, value);
  }
  ir.SetAttribute(variant, "target", ir.Parse(target));
}

}  // namespace

bool IsForX86(const Ir& ir, MlirOperation op) {
  return Holds(TargetOf(ir, op), "x86_64");
}

bool TargetHas(const Ir& ir, MlirOperation op, std::string_view feature) {
  // The features are one string: "+avx,+avx2,-sse4a".
  const std::string target = TargetOf(ir, op);
  const std::string wanted = "+" + std::string(feature);
  return Holds(target, wanted + ",") || Holds(target, wanted + "\"");
}

void SetTargetOption(const Ir& ir, std::string_view name,
                     std::string_view value) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) == kVariant) SetOption(ir, op, name, value);
  }
}

}  // namespace iree_pjrt
