// SPDX-License-Identifier: Apache-2.0
#include "compile/assigned_device.h"

#include <string_view>
#include <vector>

namespace iree_pjrt {
namespace {

constexpr std::string_view kAffinity = "stream.affinity.default";
// IREE assigns devices before every part of its pipeline; this is a short one.
constexpr char kFrom[] = "preprocessing";
constexpr char kTo[] = "global-optimization";

}  // namespace

void NameTargets(const Ir& ir, const std::string& targets) {
  if (targets.empty()) return;
  ir.SetAttribute(ir.module, "hal.device.targets", ir.Parse(targets));
}

std::optional<AssignedDevice> AssignDevice(const CompilerContext& context,
                                           const std::string& targets) {
  ModuleInContext module(context, "module {}");
  NameTargets(module.ir(), targets);
  module.RunPhases(kFrom, kTo);
  const Ir ir = module.ir();
  const std::vector<MlirOperation> globals =
      ir.OperationsOf(ir.Body(ir.module));
  const MlirAttribute affinity = ir.Attribute(ir.module, kAffinity);
  if (globals.size() != 1 || !IsDevice(ir, globals[0]) || !affinity.ptr) {
    return std::nullopt;
  }
  return AssignedDevice{ir.StringAttribute(globals[0], "sym_name"),
                        ir.Print(ir.Attribute(globals[0], "initial_value")),
                        ir.Print(affinity)};
}

void AssignedDevice::AddTo(const Ir& ir) const {
  ir.LoadDialect("util");
  ir.CreateBefore(ir.api.mlirBlockGetFirstOperation(ir.Body(ir.module)),
                  "util.global", {}, {},
                  {ir.Named("sym_name", ir.Parse('"' + name + '"')),
                   ir.Named("sym_visibility", ir.Parse("\"private\"")),
                   ir.Named("type", ir.Parse("!hal.device")),
                   ir.Named("initial_value", ir.Parse(target))});
  ir.SetAttribute(ir.module, kAffinity, ir.Parse(affinity));
}

bool IsDevice(const Ir& ir, MlirOperation op) {
  return ir.Name(op) == "util.global" &&
         ir.Print(ir.Attribute(op, "type")) == "!hal.device";
}

}  // namespace iree_pjrt
