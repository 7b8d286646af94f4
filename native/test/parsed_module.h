// SPDX-License-Identifier: Apache-2.0
// A module for tests of what looks at MLIR, parsed by the compiler library that
// IREE_PJRT_COMPILER_LIB_PATH names; they fail without it.
#ifndef IREE_PJRT_TEST_PARSED_MODULE_H_
#define IREE_PJRT_TEST_PARSED_MODULE_H_

#include <cstddef>
#include <functional>
#include <string>

#include "mlir/ir.h"

namespace iree_pjrt {

// Empty if none is named.
std::string CompilerLibraryPath();

// Calls `look` with the parsed module; if the text is no module, the test
// fails.
void WithModule(const std::string& text,
                const std::function<void(const Ir&)>& look);

// The module after the rewrite, printed; it is verified.
std::string After(const std::string& text,
                  const std::function<void(const Ir&)>& rewrite);

bool Holds(const std::string& text, const std::string& part);
size_t Count(const std::string& text, const std::string& part);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TEST_PARSED_MODULE_H_
