// SPDX-License-Identifier: Apache-2.0
#include "compiler_flags.h"

#include <algorithm>
#include <string_view>

namespace iree_pjrt {
namespace {

bool AnyHolds(const std::vector<std::string>& flags, std::string_view part) {
  return std::any_of(flags.begin(), flags.end(), [&](const std::string& flag) {
    return flag.find(part) != std::string::npos;
  });
}

}  // namespace

const std::vector<std::string>& DefaultCompilerFlags() {
  static const auto& flags = *new std::vector<std::string>{
      "--iree-input-type=stablehlo_xla",
      "--iree-input-demote-f64-to-f32=false",
      "--iree-hal-target-device=local",
      "--iree-hal-local-target-device-backends=llvm-cpu",
      "--iree-llvmcpu-target-cpu=host",
      "--iree-llvmcpu-enable-ukernels=none",
      "--iree-llvmcpu-reassociate-fp-reductions",
      "--iree-llvmcpu-debug-symbols=false",
      "--iree-opt-const-eval=false",
      // Hoisted into a region that is outlined later, a constant expression is
      // lost ("op was not bufferized").
      "--iree-opt-const-expr-hoisting=false",
      "--iree-vm-bytecode-module-strip-source-map",
  };
  return flags;
}

bool SayHowToLink(const std::vector<std::string>& flags) {
  return AnyHolds(flags, "iree-llvmcpu-link-") ||
         AnyHolds(flags, "linker-path");
}

bool NameATarget(const std::vector<std::string>& flags) {
  return AnyHolds(flags, "iree-llvmcpu-target-");
}

}  // namespace iree_pjrt
