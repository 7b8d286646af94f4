// SPDX-License-Identifier: Apache-2.0
// Arrays that are written in place while somebody still reads them. IREE (3.11,
// 3.13) drops the copy of what is written by its last user, and then orders
// what runs at once by results alone: a reader that the writer does not need
// may come after it, and reads what was written. Such a writer gets its copy
// back.
#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mlir/tied_operands.h"
#include "rewrite/stream/passes.h"

namespace iree_pjrt {
namespace {

// An operand that is written in place, and that which says its size.
struct Target {
  size_t array;
  size_t size;
};

std::vector<Target> TargetsOfDispatch(const Ir& ir, MlirOperation dispatch) {
  const auto tied = TiedOperands(ir, dispatch);
  // The sizes of its results are its last operands.
  const size_t sizes =
      ir.Operands(dispatch).size() - ir.Results(dispatch).size();
  std::vector<Target> targets;
  for (size_t i = 0; i < tied.size(); ++i) {
    if (tied[i]) targets.push_back({.array = *tied[i], .size = sizes + i});
  }
  return targets;
}

std::vector<Target> TargetsOf(const Ir& ir, MlirOperation op) {
  const std::string_view name = ir.Name(op);
  if (name == "stream.async.dispatch") return TargetsOfDispatch(ir, op);
  if (name == "stream.async.update" || name == "stream.async.copy" ||
      name == "stream.async.fill") {
    return {{.array = 0, .size = 1}};
  }
  return {};
}

// The operations of a block in their order.
class Order {
 public:
  Order(const Ir& ir, MlirBlock block) : ir_(ir) {
    for (const MlirOperation op : ir.OperationsOf(block)) {
      place_.emplace(op.ptr, place_.size());
    }
  }

  // Those in front of `op` that run on the device and use the array.
  std::vector<MlirOperation> ReadersBefore(MlirOperation op,
                                           MlirValue array) const {
    std::vector<MlirOperation> readers;
    for (const Use& use : ir_.Uses(array)) {
      const auto place = place_.find(use.user.ptr);
      if (place != place_.end() && place->second < place_.at(op.ptr) &&
          ir_.Name(use.user).starts_with("stream.async.")) {
        readers.push_back(use.user);
      }
    }
    return readers;
  }

  // Whether `op` needs results of all of them, which are in front of it.
  bool Needs(MlirOperation op, const std::vector<MlirOperation>& all) const {
    size_t first = place_.at(op.ptr);
    for (const MlirOperation one : all) {
      first = std::min(first, place_.at(one.ptr));
    }
    std::unordered_set<const void*> needed;
    std::vector<MlirOperation> todo = {op};
    while (!todo.empty()) {
      const MlirOperation next = todo.back();
      todo.pop_back();
      for (const MlirValue operand : ir_.Operands(next)) {
        const MlirOperation made = ir_.Definition(operand);
        const auto place = place_.find(made.ptr);
        if (place == place_.end() || place->second < first) continue;
        if (needed.insert(made.ptr).second) todo.push_back(made);
      }
    }
    return std::ranges::all_of(
        all, [&](MlirOperation one) { return needed.contains(one.ptr); });
  }

 private:
  const Ir& ir_;
  std::unordered_map<const void*, size_t> place_;
};

void CopyTarget(const Ir& ir, MlirOperation op, const Target& target) {
  const std::vector<MlirValue> operands = ir.Operands(op);
  const MlirValue array = operands.at(target.array);
  const MlirValue size = operands.at(target.size);
  std::vector<MlirNamedAttribute> attributes;
  if (const MlirAttribute where = ir.Attribute(op, "affinity"); where.ptr) {
    attributes.push_back(ir.Named("affinity", where));
  }
  const MlirOperation copy =
      ir.CreateBefore(op, "stream.async.clone", {array, size, size},
                      {ir.api.mlirValueGetType(array)}, attributes);
  ir.api.mlirOperationSetOperand(op, static_cast<intptr_t>(target.array),
                                 ir.api.mlirOperationGetResult(copy, 0));
}

}  // namespace

void CopyReadTargets(const Ir& ir) {
  std::unordered_map<const void*, Order> orders;
  for (const MlirOperation op : ir.AllOperations()) {
    for (const Target& target : TargetsOf(ir, op)) {
      const MlirBlock block = ir.api.mlirOperationGetBlock(op);
      const auto& [_, order] = *orders.try_emplace(block.ptr, ir, block).first;
      const std::vector<MlirOperation> readers =
          order.ReadersBefore(op, ir.Operands(op).at(target.array));
      if (!readers.empty() && !order.Needs(op, readers)) {
        CopyTarget(ir, op, target);
      }
    }
  }
}

}  // namespace iree_pjrt
