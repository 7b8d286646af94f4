// SPDX-License-Identifier: Apache-2.0
#include "rewrite/flow/row_function.h"

#include <algorithm>
#include <string_view>

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "mlir/generics.h"
#include "rewrite/loops/dispatch_function.h"

namespace iree_pjrt {
namespace {

bool IsOneOf(std::string_view name, auto... names) {
  return ((name == names) || ...);
}

MlirOperation FirstIn(const Ir& ir, MlirOperation op) {
  return ir.api.mlirBlockGetFirstOperation(ir.Body(op));
}

MlirOperation After(const Ir& ir, MlirOperation op) {
  return ir.api.mlirOperationGetNextInBlock(op);
}

// The only function of an executable with one export that is divided by its
// tiles alone; null for others.
MlirOperation OnlyFunction(const Ir& ir, MlirOperation executable) {
  constexpr MlirOperation kNone{nullptr};
  const MlirOperation its_export = FirstIn(ir, executable);
  const MlirOperation module = After(ir, its_export);
  if (ir.Name(its_export) != "flow.executable.export" || !module.ptr ||
      ir.Name(module) != "builtin.module") {
    return kNone;
  }
  const std::vector<MlirBlock> blocks = ir.Blocks(its_export);
  if (blocks.size() != 1 || ir.api.mlirBlockGetNumArguments(blocks[0]) != 0 ||
      ir.Name(ir.api.mlirBlockGetFirstOperation(blocks[0])) !=
          "iree_tensor_ext.dispatch.workgroup_count_from_slice") {
    return kNone;
  }
  const MlirOperation function = FirstIn(ir, module);
  return function.ptr && !After(ir, function).ptr &&
                 ir.Name(function) == "func.func"
             ? function
             : kNone;
}

// Whether a load or store is of a whole array.
bool IsWhole(const Ir& ir, MlirOperation op, MlirValue array) {
  const auto type = ArrayTypeOf(ir, array);
  if (!type) return false;
  const auto numbers = [&](const char* name) {
    return ReadIntegers(ir, ir.Attribute(op, name));
  };
  const std::vector<int64_t> offsets = numbers("static_offsets");
  const std::vector<int64_t> strides = numbers("static_strides");
  return numbers("static_sizes") == type->shape &&
         std::ranges::all_of(offsets, [](int64_t n) { return n == 0; }) &&
         std::ranges::all_of(strides, [](int64_t n) { return n == 1; });
}

// Whether a body only computes.
bool OnlyComputes(const Ir& ir, MlirOperation generic) {
  return std::ranges::all_of(
      ir.OperationsOf(ir.Body(generic)), [&](MlirOperation op) {
        const std::string_view name = ir.Name(op);
        return name.starts_with("arith.") || name.starts_with("math.") ||
               IsOneOf(name, "linalg.yield", "linalg.index");
      });
}

}  // namespace

std::optional<RowFunction> RowFunction::Read(const Ir& ir,
                                             MlirOperation executable) {
  const MlirOperation function = OnlyFunction(ir, executable);
  if (!function.ptr || ir.Blocks(function).size() != 1) return std::nullopt;
  RowFunction read(ir, executable, function);
  if (!read.ReadOperations()) return std::nullopt;
  return read;
}

bool RowFunction::ReadOperations() {
  const MlirBlock body = ir_.Body(function_);
  accesses_.resize(static_cast<size_t>(ir_.api.mlirBlockGetNumArguments(body)));
  for (const MlirOperation op : ir_.OperationsOf(body)) {
    const std::string_view name = ir_.Name(op);
    const bool stores = name == kStoreTensor;
    if (stores || name == kLoadTensor) {
      const std::vector<MlirValue> operands = ir_.Operands(op);
      const MlirValue array = stores ? operands[0] : ir_.Results(op)[0];
      const MlirValue argument = operands[stores ? 1 : 0];
      if (!IsWhole(ir_, op, array)) return false;
      for (size_t i = 0; i < accesses_.size(); ++i) {
        if (ir_.api.mlirBlockGetArgument(body, static_cast<intptr_t>(i)).ptr !=
            argument.ptr) {
          continue;
        }
        // What is read and written is another kind of argument.
        if (accesses_[i].ptr) return false;
        accesses_[i] = op;
      }
    } else if (IsGeneric(ir_, op)) {
      if (!ReadGeneric(op)) return false;
    } else if (!IsOneOf(name, "arith.constant", "tensor.empty", "linalg.fill",
                        "func.return", "return")) {
      return false;
    }
  }
  return !shape_.empty() &&
         std::ranges::all_of(accesses_,
                             [](MlirOperation op) { return op.ptr; });
}

// All generics with the most loops have one shape.
bool RowFunction::ReadGeneric(MlirOperation op) {
  if (!OnlyComputes(ir_, op)) return false;
  const std::vector<LoopList> maps = IndexingMaps(ir_, op);
  const std::vector<MlirValue> operands = ir_.Operands(op);
  const int64_t loops = LoopCount(ir_, op);
  const auto whole = std::ranges::find(maps, AllLoops(loops));
  if (whole == maps.end()) return false;
  const auto type =
      ArrayTypeOf(ir_, operands.at(static_cast<size_t>(whole - maps.begin())));
  if (!type) return false;
  if (IsReduction(ir_, op)) {
    const auto kept = static_cast<int64_t>(maps.back().size());
    if (row_dimensions_ != 0 && row_dimensions_ != kept) return false;
    row_dimensions_ = kept;
  }
  if (type->shape.size() > shape_.size()) shape_ = type->shape;
  generics_.push_back(op);
  return true;
}

bool RowFunction::GoesByRows(int64_t row_dimensions) const {
  return row_dimensions > 0 &&
         row_dimensions < static_cast<int64_t>(shape_.size()) &&
         std::ranges::all_of(
             generics_,
             [&](MlirOperation op) { return GoesByRows(op, row_dimensions); });
}

bool RowFunction::GoesByRows(MlirOperation op, int64_t row_dimensions) const {
  const int64_t loops = LoopCount(ir_, op);
  const bool whole = loops == static_cast<int64_t>(shape_.size());
  if (!whole && loops != row_dimensions) return false;
  const LoopList all = AllLoops(loops);
  const LoopList rows = AllLoops(row_dimensions);
  const LoopList& written = IsReduction(ir_, op) ? rows : all;
  const std::vector<LoopList> maps = IndexingMaps(ir_, op);
  const std::vector<MlirValue> operands = ir_.Operands(op);
  const size_t inputs = operands.size() - ir_.Results(op).size();
  for (size_t i = 0; i < maps.size(); ++i) {
    const LoopList& map = maps[i];
    if (i >= inputs) {
      if (map != written) return false;
    } else if (map != all && map != rows) {
      // The same for all rows, from outside.
      const MlirOperation made = ir_.Definition(operands[i]);
      if (!made.ptr || ir_.Name(made) != kLoadTensor ||
          !std::ranges::is_sorted(map) ||
          (!map.empty() && map.front() < row_dimensions)) {
        return false;
      }
    }
    if (map != all) continue;
    const auto type = ArrayTypeOf(ir_, operands[i]);
    if (!type ||
        !std::equal(type->shape.begin(), type->shape.end(), shape_.begin())) {
      return false;
    }
  }
  return true;
}

bool RowFunction::ReadsByRows(size_t argument, int64_t row_dimensions) const {
  const MlirValue loaded = ir_.Results(AccessOf(argument))[0];
  return std::ranges::all_of(ir_.Uses(loaded), [&](const Use& use) {
    if (!IsGeneric(ir_, use.user)) return false;
    const LoopList map = IndexingMaps(ir_, use.user).at(use.operand);
    return map == AllLoops(LoopCount(ir_, use.user)) ||
           map == AllLoops(row_dimensions);
  });
}

MlirOperation RowFunction::AccessOf(size_t argument) const {
  return accesses_.at(argument);
}

}  // namespace iree_pjrt
