// SPDX-License-Identifier: Apache-2.0
#include "runtime/target.h"

#include "base/leak_boundary.h"
#include "compile/compiler_flags.h"
#include "compile/tuning.h"
#include "cpu/object_image.h"
#include "release/release_line.h"
#include "runtime/cpu_features.h"

namespace iree_pjrt {
namespace {

// Multiply-adds from which matrix products are packed. Without AVX-512 IREE
// 3.11 makes scalar code of those that are not: 0.3 ms instead of 0.05 at 64
// cubed, 82 instead of 1.0 for 128 rows by 512 x 512. 3.13 makes vectors, which
// win up to 256 cubed (182 us, packed 260) and 64 rows by 512 x 512 (194, 253),
// and by far for a vector (1024 x 1024: 82, 384), of floats.
constexpr double kLargeContraction = 6e7;
constexpr double kLargeScalarProduct = 2e4;
constexpr double kLargeVectorProduct = 2.5e7;
constexpr double kLargeIntegerProduct = 1e6;

constexpr char kHost[] = "host";

// What IREE links to each program. All of it is compiled, used or not: as
// thoroughly as the program it takes most of a small one's time.
constexpr const char* kLinkedToEach[] = {"__extendhfdf2",
                                         "__extendhfsf2",
                                         "__gnu_f2h_ieee",
                                         "__gnu_h2f_ieee",
                                         "__truncdfhf2",
                                         "__truncsfhf2",
                                         "fma",
                                         "iree_f2h_ieee",
                                         "iree_h2f_ieee",
                                         "memcpy",
                                         "memmove",
                                         "memset"};

bool WorthPacking(const Cost& cost) {
  if (cost.contraction >= kLargeContraction) return true;
  if (HasWideVectors()) return false;
  if (kReleaseLine < ReleaseLine{3, 13}) {
    return cost.product >= kLargeScalarProduct;
  }
  return cost.reused_product >= kLargeVectorProduct ||
         cost.integer_product >= kLargeIntegerProduct;
}

// Of this machine. IREE takes what a processor's model has for what it can do:
// where a virtual machine hides AVX-512 (or a firmware turns it off) products
// are laid out for it, and its microkernels end the compiler.
std::string HostProcessor() {
  return !HasWideVectors() && IsX86V3() ? "x86-64-v3" : kHost;
}

}  // namespace

Target TargetOfTopology(const ClientOptions&, std::string_view) {
  return {kHost, "cpu"};
}

std::vector<std::string> TargetFlags(const Target& target) {
  return {"--iree-hal-target-device=local",
          "--iree-hal-local-target-device-backends=llvm-cpu",
          "--iree-llvmcpu-target-cpu=" +
              (target.name == kHost ? HostProcessor() : target.name),
          "--iree-llvmcpu-enable-ukernels=none",
          "--iree-llvmcpu-reassociate-fp-reductions",
          // Within a helper's stack (cpu/crew.cc), and a main thread's 8 MiB.
          // With IREE's 32 KiB gradients of convolutions do not compile.
          "--iree-llvmcpu-stack-allocation-limit=1048576",
#if defined(IREE_PJRT_ASAN)
          "--iree-llvmcpu-sanitize=address",
#endif
          "--iree-llvmcpu-debug-symbols=false"};
}

// Objects call this process's functions instead (cpu/object_image.h).
std::vector<std::string> ProcessFlags() {
  std::vector<std::string> flags;
  if (!kLoadsObjects) return flags;
  for (const std::string name : kLinkedToEach) {
    for (const char* attribute : {"noinline", "optnone"}) {
      flags.push_back("--force-attribute=" + name + ":" + attribute);
    }
  }
  return flags;
}

std::string TargetAttribute(const Target&) { return ""; }

bool NameATarget(const std::vector<std::string>& flags) {
  return AnyHolds(flags, "iree-llvmcpu-target-");
}

bool HasBfloat16Kernels() { return HasWideVectors(); }

const std::string& Processor() { return CpuFeatures(); }

bool EmbedsObject(const std::vector<std::string>& flags) {
  const bool links =
      AnyHolds(flags, "iree-llvmcpu-link-") || AnyHolds(flags, "linker-path");
  return kLoadsObjects && !links;
}

bool CompilesForGpus() { return false; }

// Packing in IREE's later phase (--iree-opt-data-tiling) crashes its compiler
// on gradients of embeddings that are used twice.
std::vector<std::string> TuningFlags(const Cost& cost) {
  if (!WorthPacking(cost)) return {};
  return AllTuningFlags();
}

std::vector<std::string> AllTuningFlags() {
  return {"--iree-global-opt-data-tiling"};
}

}  // namespace iree_pjrt
