// SPDX-License-Identifier: Apache-2.0
// The arguments of a dispatch's function, as memory. Which memory that is, is
// known only when IREE has bound the dispatch's operands: until then the
// function copies whole tensors to and from memory that stands for it.
#ifndef IREE_PJRT_REWRITE_LOOPS_DISPATCH_FUNCTION_H_
#define IREE_PJRT_REWRITE_LOOPS_DISPATCH_FUNCTION_H_

#include <string>
#include <utility>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

inline constexpr char kLoadTensor[] = "iree_tensor_ext.dispatch.tensor.load";
inline constexpr char kStoreTensor[] = "iree_tensor_ext.dispatch.tensor.store";
inline constexpr char kToMemory[] = "bufferization.materialize_in_destination";
inline constexpr char kToTensor[] = "bufferization.to_tensor";

// The type that a function has by the arguments of its only block.
void SetFunctionType(const Ir& ir, MlirOperation function,
                     const std::vector<MlirType>& results);

class DispatchFunction {
 public:
  // Arguments are loaded before `start`, an operation of the function.
  DispatchFunction(const Ir& ir, MlirOperation function, MlirOperation start)
      : ir_(ir), function_(function), start_(start) {}

  // The argument, a tensor, is in this memory.
  void Input(MlirValue argument, MlirValue memref);
  // The same, and what is there in the end is the dispatch's result.
  void InPlace(MlirValue argument, MlirValue memref);
  // The function, which returns nothing any more, has its results in these.
  // Only now its arguments are no tensors.
  void Finish(const std::vector<MlirValue>& memrefs);

 private:
  std::vector<MlirNamedAttribute> WholeTensor(MlirType tensor,
                                              std::string_view segments) const;
  void Store(MlirValue memref, MlirValue argument, MlirOperation end) const;

  const Ir& ir_;
  const MlirOperation function_;
  const MlirOperation start_;
  std::vector<MlirValue> inputs_;
  // Arguments and their memory.
  std::vector<std::pair<MlirValue, MlirValue>> in_place_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_DISPATCH_FUNCTION_H_
