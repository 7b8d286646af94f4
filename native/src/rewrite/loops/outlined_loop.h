// SPDX-License-Identifier: Apache-2.0
// A copy of a loop as a function in an executable of its own, and the dispatch
// that takes the loop's place.
#ifndef IREE_PJRT_REWRITE_LOOPS_OUTLINED_LOOP_H_
#define IREE_PJRT_REWRITE_LOOPS_OUTLINED_LOOP_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// An operation that belongs to no one else.
class Parsed {
 public:
  Parsed(const Ir& ir, const std::string& text);
  ~Parsed() { ir_.api.mlirOperationDestroy(op_); }
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;

  MlirOperation op() const { return op_; }

 private:
  const Ir& ir_;
  const MlirOperation op_;
};

// Outside of the program until Dispatch is called; destroyed with this, if it
// is not.
class OutlinedLoop {
 public:
  // Throws LoopRefused for loops that need what no dispatch can be given.
  OutlinedLoop(const Ir& ir, MlirOperation loop, const std::string& name);
  OutlinedLoop(const OutlinedLoop&) = delete;
  OutlinedLoop& operator=(const OutlinedLoop&) = delete;

  // On tensors, until someone puts it on memory.
  MlirOperation function() const { return function_; }
  // The module of the function alone.
  MlirOperation module() const;

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
  const std::string name_;
  const Parsed parsed_;
  MlirOperation function_{nullptr};
  MlirOperation copy_{nullptr};
  // The function's values for those of the program.
  std::unordered_map<const void*, MlirValue> inside_;
  std::vector<MlirValue> operands_;
  // Of the loop, those that are used.
  std::vector<MlirValue> results_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_OUTLINED_LOOP_H_
