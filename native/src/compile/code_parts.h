// SPDX-License-Identifier: Apache-2.0
// IREE links all executables of a program to one module, which LLVM compiles on
// one core. So some executables go to modules of their own, which other threads
// compile, and the program keeps functions in their names that do nothing: they
// keep their places in its table, where the loader puts the others
// (cpu/object_loader.h).
#ifndef IREE_PJRT_COMPILE_CODE_PARTS_H_
#define IREE_PJRT_COMPILE_CODE_PARTS_H_

#include <string>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// Whether there may be enough to share. On modules whose dispatches are not
// translated yet.
bool MayHaveParts(const Ir& ir);

struct CodePart {
  // Of a module.
  std::string bytecode;
  // The compiler writes the part's object there.
  std::string object_path;
};

// Takes up to `count` parts out of a module whose executables are translated to
// LLVM's dialect and not linked, each about as large as what stays. None if
// that is not worth it. `object_path`: the module's.
std::vector<CodePart> TakeCodeParts(const Ir& ir,
                                    const std::string& object_path,
                                    size_t count);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_CODE_PARTS_H_
