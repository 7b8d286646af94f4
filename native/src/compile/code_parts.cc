// SPDX-License-Identifier: Apache-2.0
#include "compile/code_parts.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "compile/compiler_context.h"

namespace iree_pjrt {
namespace {

constexpr char kVisibility[] = "sym_visibility";
constexpr char kTarget[] = "target";

// Executables from which it is asked whether there are parts.
constexpr size_t kFewExecutables = 4;
// Operations in LLVM's dialect that make a part worth its thread, its module
// and IREE's passes over it: some 20 ms.
constexpr size_t kWorthAPart = 4000;
// Each needs a context, some 7 MB that a session keeps.
constexpr size_t kMostParts = 7;

// An executable that can be compiled elsewhere.
struct Code {
  MlirOperation executable{};
  // Its only one.
  MlirOperation variant{};
  // Of LLVM's dialect.
  MlirOperation module{};
  std::vector<std::string> exports;
  size_t operations = 0;
};

std::vector<MlirOperation> Executables(const Ir& ir) {
  std::vector<MlirOperation> found;
  for (const MlirOperation op : ir.OperationsOf(ir.Body(ir.module))) {
    if (ir.Name(op) == "hal.executable") found.push_back(op);
  }
  return found;
}

// None if it is of another form than IREE makes for one processor.
std::optional<Code> CodeOf(const Ir& ir, MlirOperation executable) {
  Code code;
  code.executable = executable;
  for (const MlirOperation op : ir.OperationsOf(ir.Body(executable))) {
    if (ir.Name(op) != "hal.executable.variant") continue;
    if (code.variant.ptr) return std::nullopt;
    code.variant = op;
  }
  if (!code.variant.ptr) return std::nullopt;
  for (const MlirOperation op : ir.OperationsOf(ir.Body(code.variant))) {
    if (ir.Name(op) == "builtin.module") code.module = op;
    if (ir.Name(op) == "hal.executable.export") {
      code.exports.push_back(ir.StringAttribute(op, "sym_name"));
    }
  }
  if (!code.module.ptr) return std::nullopt;
  std::set<std::string> functions;
  for (const MlirOperation op : ir.OperationsOf(ir.Body(code.module))) {
    functions.insert(ir.StringAttribute(op, "sym_name"));
  }
  for (const std::string& name : code.exports) {
    if (!functions.contains(name)) return std::nullopt;
  }
  code.operations = Ir{ir.api, ir.context, code.module}.AllOperations().size();
  return code;
}

// The largest first; none if their functions would not be found by name.
std::vector<Code> AllCode(const Ir& ir) {
  std::vector<Code> all;
  std::set<std::string> names;
  for (const MlirOperation executable : Executables(ir)) {
    auto code = CodeOf(ir, executable);
    if (!code) return {};
    for (const std::string& name : code->exports) {
      if (!names.insert(name).second) return {};
    }
    all.push_back(*std::move(code));
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Code::operations);
  return all;
}

// Each to the share with the least so far; the first is what stays.
std::vector<std::vector<Code>> Share(const std::vector<Code>& all,
                                     size_t shares) {
  std::vector<std::vector<Code>> shared(shares);
  std::vector<size_t> sums(shares);
  for (const Code& code : all) {
    // Of equal ones the last: with the first go the host's commands.
    const auto least = std::ranges::min_element(sums.rbegin(), sums.rend());
    *least += code.operations;
    shared[static_cast<size_t>(sums.rend() - least) - 1].push_back(code);
  }
  return shared;
}

void CopyAttributes(const Ir& ir, MlirOperation from, MlirOperation to) {
  for (intptr_t i = 0; i < ir.api.mlirOperationGetNumAttributes(from); ++i) {
    const MlirNamedAttribute attribute =
        ir.api.mlirOperationGetAttribute(from, i);
    ir.api.mlirOperationSetAttributeByName(
        to, ir.api.mlirIdentifierStr(attribute.name), attribute.attribute);
  }
}

// Functions of the same names that do nothing, in place of the code.
void Empty(const Ir& ir, const Code& code) {
  std::string text = "builtin.module {\n";
  for (const std::string& name : code.exports) {
    text += "llvm.func @\"" + name +
            "\"(%0: !llvm.ptr, %1: !llvm.ptr, %2: !llvm.ptr) -> i32 {\n"
            "%3 = llvm.mlir.constant(0 : i32) : i32\n"
            "llvm.return %3 : i32\n}\n";
  }
  const MlirOperation empty = ir.ParseOperation(text + "}");
  CopyAttributes(ir, code.module, empty);
  ir.api.mlirBlockInsertOwnedOperationBefore(
      ir.api.mlirOperationGetBlock(code.module), code.module, empty);
  ir.api.mlirOperationDestroy(code.module);
}

// How the executable goes to a part, and is as before at the end of its scope.
class Lent {
 public:
  Lent(const Ir& ir, const Code& code, MlirOperation module,
       MlirAttribute target)
      : ir_(ir),
        code_(code),
        visibility_(ir.Attribute(code.executable, kVisibility)),
        target_(ir.Attribute(code.variant, kTarget)) {
    // Private ones, which nobody calls there, would be removed.
    ir.RemoveAttribute(code.executable, kVisibility);
    ir.SetAttribute(code.variant, kTarget, target);
    MoveTo(module);
  }

  ~Lent() {
    MoveTo(ir_.module);
    ir_.SetAttribute(code_.variant, kTarget, target_);
    if (visibility_.ptr) {
      ir_.SetAttribute(code_.executable, kVisibility, visibility_);
    }
  }

  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  void MoveTo(MlirOperation module) const {
    ir_.api.mlirOperationRemoveFromParent(code_.executable);
    ir_.api.mlirBlockAppendOwnedOperation(ir_.Body(module), code_.executable);
  }

  const Ir& ir_;
  const Code& code_;
  const MlirAttribute visibility_;
  const MlirAttribute target_;
};

// Targets say where the object goes; all executables have one or a few.
class PartTargets {
 public:
  PartTargets(const Ir& ir, const std::string& from, const std::string& to)
      : ir_(ir), from_(from), to_(to) {}

  // The target with the other path.
  MlirAttribute Of(MlirAttribute target) {
    const auto [found, is_new] = others_.try_emplace(target.ptr);
    if (is_new) {
      std::string text = ir_.Print(target);
      ReplaceAll(text, from_, to_);
      found->second = ir_.Parse(text);
    }
    return found->second;
  }

 private:
  const Ir& ir_;
  const std::string& from_;
  const std::string& to_;
  std::map<const void*, MlirAttribute> others_;
};

std::string BytecodeOf(const Ir& ir, const std::vector<Code>& part,
                       const std::string& path, const std::string& part_path) {
  const MlirOperation module = ir.ParseOperation("builtin.module {}");
  CopyAttributes(ir, ir.module, module);
  PartTargets targets(ir, path, part_path);
  std::string bytecode;
  {
    std::deque<Lent> lent;
    for (const Code& code : part) {
      lent.emplace_back(ir, code, module,
                        targets.Of(ir.Attribute(code.variant, kTarget)));
    }
    bytecode = ToBytecode(ir.api, module);
  }
  ir.api.mlirOperationDestroy(module);
  return bytecode;
}

}  // namespace

bool MayHaveParts(const Ir& ir) {
  return Executables(ir).size() >= kFewExecutables;
}

std::vector<CodePart> TakeCodeParts(const Ir& ir,
                                    const std::string& object_path,
                                    size_t count) {
  const std::vector<Code> all = AllCode(ir);
  size_t operations = 0;
  for (const Code& code : all) operations += code.operations;
  const size_t shares =
      std::min(std::min(count, kMostParts) + 1, operations / kWorthAPart);
  if (shares < 2) return {};
  std::vector<CodePart> parts;
  const auto shared = Share(all, shares);
  const std::filesystem::path path(object_path);
  for (size_t i = 1; i < shares; ++i) {
    if (shared[i].empty()) continue;
    // In the targets the folder may be written otherwise.
    const std::string name =
        path.stem().string() + "." + std::to_string(parts.size() + 1) + ".o";
    parts.push_back(
        {.bytecode = BytecodeOf(ir, shared[i], path.filename().string(), name),
         .object_path = (path.parent_path() / name).string()});
    for (const Code& code : shared[i]) Empty(ir, code);
  }
  return parts;
}

}  // namespace iree_pjrt
