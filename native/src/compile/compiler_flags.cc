// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler_flags.h"

#include <algorithm>

namespace iree_pjrt {
namespace {

// What our lists of passes say, too.
constexpr std::string_view kNoConstEval = "--iree-opt-const-eval=false";
// Hoisted into a region that is outlined later, a constant expression is lost
// ("op was not bufferized").
constexpr std::string_view kNoConstExprHoisting =
    "--iree-opt-const-expr-hoisting=false";

// Of IREE's front, its targets and what is written.
constexpr std::string_view kElsewhere[] = {"--iree-input-", "--iree-hal-",
                                           "--iree-llvmcpu-", "--iree-cuda-",
                                           "--iree-vm-bytecode-"};

bool SpeaksOfOurPasses(const std::string& flag) {
  if (flag == kNoConstEval || flag == kNoConstExprHoisting) return false;
  return std::ranges::none_of(kElsewhere, [&](std::string_view prefix) {
    return flag.starts_with(prefix);
  });
}

}  // namespace

std::vector<std::string> DefaultCompilerFlags(const Target& target) {
  std::vector<std::string> flags{
      "--iree-input-type=stablehlo_xla",
      "--iree-input-demote-f64-to-f32=false",
      std::string(kNoConstEval),
      std::string(kNoConstExprHoisting),
      "--iree-vm-bytecode-module-strip-source-map",
  };
  for (std::string& flag : TargetFlags(target)) {
    flags.push_back(std::move(flag));
  }
  return flags;
}

bool LeavesOurPasses(const std::vector<std::string>& flags) {
  return std::ranges::none_of(flags, SpeaksOfOurPasses);
}

bool AnyHolds(const std::vector<std::string>& flags, std::string_view part) {
  return std::any_of(flags.begin(), flags.end(), [&](const std::string& flag) {
    return flag.find(part) != std::string::npos;
  });
}

}  // namespace iree_pjrt
