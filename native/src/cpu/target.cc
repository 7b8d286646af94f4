// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include "compiler_flags.h"
#include "cpu_features.h"
#include "leak_boundary.h"
#include "object_image.h"
#include "tuning.h"

namespace iree_pjrt {
namespace {

constexpr double kLargeContraction = 6e7;  // multiply-adds

}  // namespace

Target TargetOfTopology(const ClientOptions&, std::string_view) {
  return {"host", "cpu"};
}

std::vector<std::string> TargetFlags(const Target& target) {
  return {"--iree-hal-target-device=local",
          "--iree-hal-local-target-device-backends=llvm-cpu",
          "--iree-llvmcpu-target-cpu=" + target.name,
          "--iree-llvmcpu-enable-ukernels=none",
          "--iree-llvmcpu-reassociate-fp-reductions",
#if defined(IREE_PJRT_ASAN)
          "--iree-llvmcpu-sanitize=address",
#endif
          "--iree-llvmcpu-debug-symbols=false"};
}

std::string TargetAttribute(const Target&) { return ""; }

bool NameATarget(const std::vector<std::string>& flags) {
  return AnyHolds(flags, "iree-llvmcpu-target-");
}

const std::string& Processor() { return CpuFeatures(); }

bool EmbedsObject(const std::vector<std::string>& flags) {
  const bool links =
      AnyHolds(flags, "iree-llvmcpu-link-") || AnyHolds(flags, "linker-path");
  return kLoadsObjects && !links;
}

// Packing in IREE's later phase (--iree-opt-data-tiling) crashes its compiler
// on gradients of embeddings that are used twice.
std::vector<std::string> TuningFlags(const Cost& cost) {
  if (cost.contraction < kLargeContraction) return {};
  return {"--iree-global-opt-data-tiling"};
}

}  // namespace iree_pjrt
