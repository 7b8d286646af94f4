// SPDX-License-Identifier: Apache-2.0
// Where in the user's program an operation comes from, read from the location
// that the framework gave it. A value.
#ifndef IREE_PJRT_COMPILE_SOURCE_LOCATION_H_
#define IREE_PJRT_COMPILE_SOURCE_LOCATION_H_

#include <string>
#include <vector>

#include "mlir/mlir_c.h"

namespace iree_pjrt {

struct SourceLocation {
  struct Frame {
    std::string function;  // may be empty
    std::string file;
    int line;
  };

  // The framework's name of the operation, as "jit(f)/dot_general"; may be
  // empty.
  std::string operation;
  // The innermost first.
  std::vector<Frame> frames;

  // Lines "  at f (file:line)", each preceded by a line break; a bounded number
  // of them.
  std::string ToString() const;
};

SourceLocation ReadLocation(const MlirApi& api, MlirLocation location);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_SOURCE_LOCATION_H_
