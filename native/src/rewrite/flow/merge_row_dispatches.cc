// SPDX-License-Identifier: Apache-2.0
// Dispatches that go over the same rows one after the other: a normalization
// takes the mean of each row, then the variance, then divides; a gradient takes
// two sums. IREE (3.11, 3.13) begins a dispatch with each reduction, and writes
// and reads all rows in between. The pass makes one dispatch of two, whose rows
// stay in the cache.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "mlir/tied_operands.h"
#include "rewrite/flow/join_rows.h"
#include "rewrite/flow/passes.h"
#include "rewrite/flow/row_function.h"

namespace iree_pjrt {
namespace {

// Threads share rows, and nothing else of such a dispatch.
constexpr int64_t kLeastRows = 64;
// Of shorter rows there are no vectors.
constexpr int64_t kLeastElements = 8;
// Of one dispatch, with its results.
constexpr size_t kMostOperands = 16;

constexpr char kAffinity[] = "stream.affinity";

// `[@executable::@entry]`; without names where it may be one of several.
RowDispatch ReadDispatch(const Ir& ir, MlirOperation op) {
  const std::string text = ir.Print(ir.Attribute(op, "entry_points"));
  if (text.find(',') != std::string::npos) return {op, "", ""};
  const size_t first = text.find('@');
  const size_t second = text.find("::@", first);
  const size_t end = text.find(']', second);
  return {op, text.substr(first + 1, second - first - 1),
          text.substr(second + 3, end - second - 3)};
}

class RowMerging {
 public:
  explicit RowMerging(const Ir& ir) : ir_(ir) {
    for (const MlirOperation op : ir.OperationsOf(ir.Body(ir.module))) {
      if (ir.Name(op) != "flow.executable") continue;
      executables_.emplace(ir.StringAttribute(op, "sym_name"), op);
    }
  }

  void MergeAll() {
    std::vector<MlirOperation> dispatches;
    for (const MlirOperation op : ir_.AllOperations()) {
      if (ir_.Name(op) == "flow.dispatch") dispatches.push_back(op);
    }
    for (MlirOperation& op : dispatches) {
      for (MlirOperation merged = op; merged.ptr;) {
        op = merged;
        merged = MergedWithOneBefore(op);
      }
    }
    if (!merged_.empty()) RemoveUnused();
  }

 private:
  // The dispatch that does the same as this one and one before; null if there
  // is none to merge it with.
  MlirOperation MergedWithOneBefore(MlirOperation op) {
    for (const MlirValue operand : ir_.Operands(op)) {
      const MlirOperation before = ir_.Definition(operand);
      if (!before.ptr || ir_.Name(before) != "flow.dispatch" ||
          !IsOnlyUsedBy(before, op)) {
        continue;
      }
      const RowPair pair = PairOf(before, op);
      if (MayMerge(pair)) return Merge(pair);
    }
    return {nullptr};
  }

  bool IsOnlyUsedBy(MlirOperation op, MlirOperation user) const {
    return ir_.api.mlirOperationGetBlock(op).ptr ==
               ir_.api.mlirOperationGetBlock(user).ptr &&
           std::ranges::all_of(ir_.Results(op), [&](MlirValue result) {
             return std::ranges::all_of(ir_.Uses(result), [&](const Use& use) {
               return use.user.ptr == user.ptr;
             });
           });
  }

  RowPair PairOf(MlirOperation first, MlirOperation second) const {
    const auto place = [](const std::vector<MlirValue>& values,
                          MlirValue value) {
      const auto at = std::ranges::find(values, value.ptr, &MlirValue::ptr);
      return at == values.end() ? kNotWired : at - values.begin();
    };
    RowPair pair{ReadDispatch(ir_, first), ReadDispatch(ir_, second), {}, {}};
    const std::vector<MlirValue> operands = ir_.Operands(second);
    for (const MlirValue operand : operands) {
      pair.results.push_back(place(ir_.Results(first), operand));
    }
    for (const MlirValue operand : ir_.Operands(first)) {
      pair.operands.push_back(place(operands, operand));
    }
    return pair;
  }

  const std::optional<RowFunction>& FunctionOf(const RowDispatch& dispatch) {
    const auto [at, is_new] = functions_.try_emplace(dispatch.executable);
    const auto executable = executables_.find(dispatch.executable);
    if (is_new && executable != executables_.end()) {
      if (const auto read = RowFunction::Read(ir_, executable->second)) {
        at->second.emplace(*read);
      }
    }
    return at->second;
  }

  bool MayMerge(const RowPair& pair) {
    const std::optional<RowFunction>& first = FunctionOf(pair.first);
    const std::optional<RowFunction>& second = FunctionOf(pair.second);
    if (!first || !second || !AreAlike(pair) ||
        first->shape() != second->shape()) {
      return false;
    }
    const int64_t rows = first->row_dimensions();
    if (second->row_dimensions() != 0 && second->row_dimensions() != rows) {
      return false;
    }
    for (size_t i = 0; i < pair.results.size(); ++i) {
      if (pair.results[i] != kNotWired && !second->ReadsByRows(i, rows)) {
        return false;
      }
    }
    return first->GoesByRows(rows) && second->GoesByRows(rows) &&
           AreMany(first->shape(), static_cast<size_t>(rows)) &&
           GoOverSameRows(pair, first->shape()) &&
           !ComputesAgain(pair, *first, *second);
  }

  static bool AreMany(std::span<const int64_t> shape, size_t rows) {
    return ElementCount(shape.first(rows)) >= kLeastRows &&
           ElementCount(shape.subspan(rows)) >= kLeastElements;
  }

  // Whether both are of one device, and write into arrays of their own.
  bool AreAlike(const RowPair& pair) const {
    const auto affinity = [&](const RowDispatch& dispatch) {
      return ir_.Attribute(dispatch.op, kAffinity).ptr;
    };
    const auto ties = [&](const RowDispatch& dispatch) {
      return std::ranges::any_of(TiedOperands(ir_, dispatch.op),
                                 [](const auto& tied) { return !!tied; });
    };
    return affinity(pair.first) == affinity(pair.second) && !ties(pair.first) &&
           !ties(pair.second) &&
           pair.results.size() + pair.operands.size() +
                   ir_.Results(pair.second.op).size() <=
               kMostOperands;
  }

  // Whether one of them writes whole rows, and the second reads rows that the
  // first reads or writes. (To read rows of a cache twice is as fast as it is
  // for both together. Of other rows they are apart for a reason:
  // linalg/guard_repeated_sums.cc.)
  bool GoOverSameRows(const RowPair& pair,
                      const std::vector<int64_t>& shape) const {
    const auto writes = [&](const RowDispatch& dispatch) {
      return std::ranges::any_of(ir_.Results(dispatch.op),
                                 [&](MlirValue result) {
                                   const auto type = ArrayTypeOf(ir_, result);
                                   return type && type->shape == shape;
                                 });
    };
    if (!writes(pair.first) && !writes(pair.second)) return false;
    const std::vector<MlirValue> operands = ir_.Operands(pair.second.op);
    for (size_t i = 0; i < operands.size(); ++i) {
      const auto type = ArrayTypeOf(ir_, operands[i]);
      if (!type || type->shape != shape) continue;
      const bool is_read =
          std::ranges::find(pair.operands, static_cast<int64_t>(i)) !=
          pair.operands.end();
      if (is_read || pair.results[i] != kNotWired) return true;
    }
    return false;
  }

  // IREE computes what several need for each of them. Whether that takes long.
  bool ComputesAgain(const RowPair& pair, const RowFunction& first,
                     const RowFunction& second) const {
    for (size_t i = 0; i < pair.results.size(); ++i) {
      if (pair.results[i] == kNotWired) continue;
      const MlirValue loaded = ir_.Results(second.AccessOf(i))[0];
      if (ir_.Uses(loaded).size() > 1 &&
          IsExpensive(pair.StoredBy(ir_, first, pair.results[i]))) {
        return true;
      }
    }
    return false;
  }

  bool IsExpensive(MlirValue value) const {
    constexpr std::array<std::string_view, 5> kCheap = {
        "math.absf", "math.absi", "math.copysign", "math.fma", "math.rsqrt"};
    const MlirOperation op = ir_.Definition(value);
    return op.ptr && IsElementwise(ir_, op) &&
           std::ranges::any_of(
               ir_.OperationsOf(ir_.Body(op)), [&](MlirOperation inner) {
                 const std::string_view name = ir_.Name(inner);
                 return name.starts_with("math.") &&
                        std::ranges::find(kCheap, name) == kCheap.end();
               });
  }

  MlirOperation Merge(const RowPair& pair) {
    const auto key = std::tuple(pair.first.executable, pair.second.executable,
                                pair.results, pair.operands);
    auto made = merged_.find(key);
    if (made == merged_.end()) {
      made = merged_.emplace(key, MakeExecutable(pair)).first;
    }
    std::vector<MlirValue> operands;
    const std::vector<MlirValue> of_second = ir_.Operands(pair.second.op);
    const std::vector<MlirValue> of_first = ir_.Operands(pair.first.op);
    for (size_t i = 0; i < of_second.size(); ++i) {
      if (pair.results[i] == kNotWired) operands.push_back(of_second[i]);
    }
    for (size_t i = 0; i < of_first.size(); ++i) {
      if (pair.operands[i] == kNotWired) operands.push_back(of_first[i]);
    }
    std::vector<MlirNamedAttribute> attributes = {
        ir_.Named("entry_points",
                  ir_.Parse("[@" + made->second + "::@" + made->second + "]")),
        ir_.Named("operandSegmentSizes",
                  ir_.Parse("array<i32: 0, " + std::to_string(operands.size()) +
                            ", 0, 0>"))};
    for (const char* name : {kAffinity, "tied_operands"}) {
      const MlirAttribute attribute = ir_.Attribute(pair.second.op, name);
      if (attribute.ptr) attributes.push_back(ir_.Named(name, attribute));
    }
    const MlirOperation dispatch =
        ir_.CreateBefore(pair.second.op, "flow.dispatch", operands,
                         ir_.ResultTypes(pair.second.op), attributes);
    ir_.Replace(pair.second.op, ir_.Results(dispatch));
    ir_.api.mlirOperationDestroy(pair.first.op);
    return dispatch;
  }

  // Returns the name of the executable and its function.
  std::string MakeExecutable(const RowPair& pair) {
    const std::string name =
        pair.second.entry + "_rows_" + std::to_string(merged_.size());
    executables_.emplace(
        name, JoinRows(ir_, pair, executables_.at(pair.first.executable),
                       executables_.at(pair.second.executable), name));
    return name;
  }

  // Executables that nobody dispatches any more.
  void RemoveUnused() {
    std::set<std::string> used;
    for (const MlirOperation op : ir_.AllOperations()) {
      if (ir_.Name(op) == "flow.dispatch") {
        used.insert(ReadDispatch(ir_, op).executable);
      }
    }
    const auto remove = [&](const std::string& name) {
      const auto at = executables_.find(name);
      if (at == executables_.end() || used.contains(name)) return;
      ir_.api.mlirOperationDestroy(at->second);
      executables_.erase(at);
    };
    for (const auto& [key, name] : merged_) {
      remove(std::get<0>(key));
      remove(std::get<1>(key));
      remove(name);
    }
  }

  const Ir& ir_;
  std::map<std::string, MlirOperation> executables_;
  std::map<std::string, std::optional<RowFunction>> functions_;
  // The names of executables made.
  std::map<std::tuple<std::string, std::string, Wiring, Wiring>, std::string>
      merged_;
};

}  // namespace

void MergeRowDispatches(const Ir& ir) { RowMerging(ir).MergeAll(); }

}  // namespace iree_pjrt
