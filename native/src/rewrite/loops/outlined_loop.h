// SPDX-License-Identifier: Apache-2.0
// A copy of a loop as a function in an executable of its own, and the dispatch
// that takes the loop's place.
#ifndef IREE_PJRT_REWRITE_LOOPS_OUTLINED_LOOP_H_
#define IREE_PJRT_REWRITE_LOOPS_OUTLINED_LOOP_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "mlir/ir.h"
#include "rewrite/loops/dispatch_executable.h"

namespace iree_pjrt {

class OutlinedLoop {
 public:
  // Throws LoopRefused for loops that need what no dispatch can be given.
  OutlinedLoop(const Ir& ir, MlirOperation loop, const std::string& name);
  OutlinedLoop(const OutlinedLoop&) = delete;
  OutlinedLoop& operator=(const OutlinedLoop&) = delete;

  // On tensors, until someone puts it on memory.
  MlirOperation function() const { return function_; }
  // The module of the function alone.
  MlirOperation module() const { return executable_.module(); }

  // The program has the executable, and a dispatch instead of the loop.
  void Dispatch();

 private:
  void Copy();
  void RemoveBarriers();
  void Return();
  MlirValue Inside(MlirValue value);
  MlirValue Found(MlirValue value, MlirOperation made);
  MlirValue Copied(MlirOperation op);
  MlirValue Argument(MlirValue value);

  const Ir& ir_;
  const MlirOperation loop_;
  const DispatchExecutable executable_;
  const MlirOperation function_;
  MlirOperation copy_{nullptr};
  // The function's values for those of the program.
  std::unordered_map<const void*, MlirValue> inside_;
  std::vector<MlirValue> operands_;
  // Of the loop, those that are used.
  std::vector<MlirValue> results_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_OUTLINED_LOOP_H_
