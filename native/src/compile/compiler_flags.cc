// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler_flags.h"

#include <algorithm>

namespace iree_pjrt {

std::vector<std::string> DefaultCompilerFlags(const Target& target) {
  std::vector<std::string> flags{
      "--iree-input-type=stablehlo_xla",
      "--iree-input-demote-f64-to-f32=false",
      "--iree-opt-const-eval=false",
      // Hoisted into a region that is outlined later, a constant expression is
      // lost ("op was not bufferized").
      "--iree-opt-const-expr-hoisting=false",
      "--iree-vm-bytecode-module-strip-source-map",
  };
  for (std::string& flag : TargetFlags(target)) {
    flags.push_back(std::move(flag));
  }
  return flags;
}

bool AnyHolds(const std::vector<std::string>& flags, std::string_view part) {
  return std::any_of(flags.begin(), flags.end(), [&](const std::string& flag) {
    return flag.find(part) != std::string::npos;
  });
}

}  // namespace iree_pjrt
