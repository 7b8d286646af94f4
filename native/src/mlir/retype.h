// SPDX-License-Identifier: Apache-2.0
// Gives the values of a program other types, and functions the types that go
// with them. Lives shorter than the Ir that it is made from.
#ifndef IREE_PJRT_MLIR_RETYPE_H_
#define IREE_PJRT_MLIR_RETYPE_H_

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "mlir/ir.h"

namespace iree_pjrt {

// Gives the value the type; whoever uses it gets it back as it was, from an
// operation `cast` right before `before`.
void RetypeBehindCast(const Ir& ir, MlirValue value, MlirType type,
                      std::string_view cast, MlirOperation before);

class Retyper {
 public:
  // `replaced` makes of the text of a type (also one of a function) another.
  Retyper(const Ir& ir, std::function<std::string(std::string)> replaced)
      : ir_(ir), replaced_(std::move(replaced)) {}

  // The results of an operation, the arguments of its regions and its type as a
  // function. True if a result got another type.
  bool Retype(MlirOperation op);

 private:
  bool RetypeValue(MlirValue value);

  const Ir& ir_;
  const std::function<std::string(std::string)> replaced_;
  std::unordered_map<const void*, MlirType> known_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_RETYPE_H_
