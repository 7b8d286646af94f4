// SPDX-License-Identifier: Apache-2.0
// An executable of one function that is made here, and dispatches of it.
#ifndef IREE_PJRT_REWRITE_LOOPS_DISPATCH_EXECUTABLE_H_
#define IREE_PJRT_REWRITE_LOOPS_DISPATCH_EXECUTABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// Outside of the program until it is dispatched; destroyed with this, if it is
// not.
class DispatchExecutable {
 public:
  // As a result's operand: the result has memory of its own.
  static constexpr int64_t kUntied = -1;

  // Of an empty function. The name is that of the executable and the function.
  DispatchExecutable(const Ir& ir, const std::string& name);
  ~DispatchExecutable() { ir_.api.mlirOperationDestroy(owner_); }
  DispatchExecutable(const DispatchExecutable&) = delete;
  DispatchExecutable& operator=(const DispatchExecutable&) = delete;

  // The module of the function alone.
  MlirOperation module() const;
  MlirOperation function() const;

  // Gives the executable to the program, which then has a dispatch of it.
  // `tied`: for each result the number of the operand whose memory it has.
  std::vector<MlirValue> Dispatch(MlirOperation before,
                                  const std::vector<MlirValue>& operands,
                                  const std::vector<MlirType>& results,
                                  const std::vector<int64_t>& tied) const;

 private:
  MlirOperation Executable() const;

  const Ir& ir_;
  const std::string name_;
  const MlirOperation owner_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_DISPATCH_EXECUTABLE_H_
