// SPDX-License-Identifier: Apache-2.0
#include "rewrite/flow/join_rows.h"

#include <set>

#include "rewrite/loops/dispatch_function.h"

namespace iree_pjrt {
namespace {

class RowJoining {
 public:
  RowJoining(const Ir& ir, const RowPair& pair, const RowFunction& first,
             const RowFunction& second)
      : ir_(ir),
        pair_(pair),
        first_(first),
        second_(second),
        from_(ir.Body(first.function())),
        body_(ir.Body(second.function())) {}

  // Moves what the first function computes into the second.
  void Join() const {
    AddArguments();
    ReplaceLoads();
    const MlirOperation start = ir_.api.mlirBlockGetFirstOperation(body_);
    const MlirOperation end = ir_.Terminator(from_);
    for (const MlirOperation op : ir_.OperationsOf(from_)) {
      if (ir_.Name(op) != kStoreTensor && op.ptr != end.ptr) {
        ir_.api.mlirOperationMoveBefore(op, start);
      }
    }
    EraseArguments();
    SetFunctionType(ir_, second_.function(), {});
  }

  // The executable, its export and its function.
  void Rename(const std::string& name) const {
    const MlirAttribute text = ir_.Parse('"' + name + '"');
    const MlirOperation its_export =
        ir_.api.mlirBlockGetFirstOperation(ir_.Body(second_.executable()));
    for (const MlirOperation op :
         {second_.executable(), its_export, second_.function()}) {
      ir_.SetAttribute(op, "sym_name", text);
    }
    ir_.SetAttribute(its_export, "function_ref", ir_.Parse("@" + name));
  }

 private:
  MlirValue Argument(MlirBlock block, size_t i) const {
    return ir_.api.mlirBlockGetArgument(block, static_cast<intptr_t>(i));
  }

  void AddLike(MlirValue like) const {
    const MlirOperation near = ir_.api.mlirBlockGetFirstOperation(body_);
    const MlirValue added =
        ir_.api.mlirBlockAddArgument(body_, ir_.api.mlirValueGetType(like),
                                     ir_.api.mlirOperationGetLocation(near));
    ir_.api.mlirValueReplaceAllUsesOfWith(like, added);
  }

  // Behind the operands of the second those of the first, then the results.
  void AddArguments() const {
    const auto count =
        static_cast<size_t>(ir_.api.mlirBlockGetNumArguments(body_));
    for (size_t i = 0; i < pair_.operands.size(); ++i) {
      const MlirValue its = Argument(from_, i);
      if (pair_.operands[i] == kNotWired) {
        AddLike(its);
      } else {
        ir_.api.mlirValueReplaceAllUsesOfWith(
            its, Argument(body_, static_cast<size_t>(pair_.operands[i])));
      }
    }
    for (size_t i = pair_.results.size(); i < count; ++i) {
      AddLike(Argument(body_, i));
    }
  }

  void ReplaceLoads() const {
    for (size_t i = 0; i < pair_.results.size(); ++i) {
      if (pair_.results[i] == kNotWired) continue;
      ir_.Replace(second_.AccessOf(i),
                  {pair_.StoredBy(ir_, first_, pair_.results[i])});
    }
    // What both read is loaded once.
    std::set<int64_t> loaded;
    for (size_t i = 0; i < pair_.operands.size(); ++i) {
      const int64_t operand = pair_.operands[i];
      if (operand == kNotWired || !loaded.insert(operand).second) continue;
      ir_.Replace(second_.AccessOf(static_cast<size_t>(operand)),
                  ir_.Results(first_.AccessOf(i)));
    }
  }

  // Operands that are results of the first, and the results of before.
  void EraseArguments() const {
    const size_t operands = pair_.results.size();
    const size_t results = ir_.Results(pair_.second.op).size();
    for (size_t i = operands + results; i-- > 0;) {
      if (i >= operands || pair_.results[i] != kNotWired) {
        ir_.api.mlirBlockEraseArgument(body_, static_cast<unsigned>(i));
      }
    }
  }

  const Ir& ir_;
  const RowPair& pair_;
  const RowFunction& first_;
  const RowFunction& second_;
  const MlirBlock from_;
  const MlirBlock body_;
};

}  // namespace

MlirValue RowPair::StoredBy(const Ir& ir, const RowFunction& function,
                            int64_t result) const {
  const size_t argument = operands.size() + static_cast<size_t>(result);
  return ir.Operands(function.AccessOf(argument))[0];
}

MlirOperation JoinRows(const Ir& ir, const RowPair& pair, MlirOperation first,
                       MlirOperation second, const std::string& name) {
  const MlirOperation executable = ir.CloneBefore(second, second);
  const MlirOperation copy = ir.CloneBefore(second, first);
  const RowFunction from = *RowFunction::Read(ir, copy);
  const RowFunction into = *RowFunction::Read(ir, executable);
  const RowJoining joining(ir, pair, from, into);
  joining.Join();
  joining.Rename(name);
  ir.api.mlirOperationDestroy(copy);
  return executable;
}

}  // namespace iree_pjrt
