// SPDX-License-Identifier: Apache-2.0
#include "runtime/target.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "compile/compiler_flags.h"
#include "compile/tuning.h"
#include "cuda/driver.h"
#include "cuda/gpu_target.h"
#include "program/options.h"

namespace iree_pjrt {
namespace {

// A kind of GPU that programs are compiled for. PTX runs on newer ones too.
struct Architecture {
  const char* name;
  int capability;
  // The size of shared memory of a GPU that IREE 3.11 does not know by name; 0
  // if it knows the GPU.
  int shared_memory_bytes;
};

constexpr std::array<Architecture, 7> kArchitectures = {{
    {"sm_60", 60, 0},
    {"sm_70", 70, 0},
    {"sm_75", 75, 0},
    {"sm_80", 80, 0},
    {"sm_86", 86, 0},
    {"sm_89", 89, 101376},
    {"sm_90", 90, 232448},
}};
// The GPU that stands in for those that IREE does not know; the closest one.
constexpr char kStandIn[] = "sm_86";

const Architecture& ArchitectureOf(std::string_view name) {
  for (const Architecture& each : kArchitectures) {
    if (each.name == name) return each;
  }
  std::string known;
  for (const Architecture& each : kArchitectures) {
    known += std::string(known.empty() ? "" : ", ") + each.name;
  }
  ThrowInvalidArgument("the target '" + std::string(name) +
                       "' is not known; known are " + known);
}

}  // namespace

Target TargetOfGpu(const Gpu& gpu, const std::string& wanted) {
  if (!wanted.empty()) return {ArchitectureOf(wanted).name, gpu.name};
  const int capability = 10 * gpu.capability_major + gpu.capability_minor;
  const char* best = nullptr;
  for (const Architecture& each : kArchitectures) {
    if (each.capability <= capability) best = each.name;
  }
  if (!best) {
    throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
                gpu.name + " has compute capability " +
                    std::to_string(gpu.capability_major) + "." +
                    std::to_string(gpu.capability_minor) +
                    "; the oldest that programs are compiled for is 6.0");
  }
  return {best, gpu.name};
}

Target TargetOfTopology(const ClientOptions& options, std::string_view name) {
  const std::string_view wanted = name.empty() ? options.device.target : name;
  if (!wanted.empty()) {
    const std::string known = ArchitectureOf(wanted).name;
    return {known, known};
  }
  try {
    return TargetOfGpu(FindGpu(options.device.device_ordinal), "");
  } catch (const Error& error) {
    throw Error(error.code(),
                "nothing says what to compile for: name the topology, or the "
                "option 'target', as sm_80; " +
                    error.message());
  }
}

std::vector<std::string> TargetFlags(const Target& target) {
  const Architecture& architecture = ArchitectureOf(target.name);
  const bool known = architecture.shared_memory_bytes == 0;
  return {"--iree-hal-target-device=cuda",
          std::string("--iree-cuda-target=") +
              (known ? architecture.name : kStandIn)};
}

std::vector<std::string> ProcessFlags() { return {}; }

// IREE 3.11 finds no description of these GPUs by name; its back end makes code
// for them. Products of bfloat16 in tensor cores, which 3.13 knows
// (NV_MMA_SYNC_F32_16x8x16_BF16), are 8 times as fast on an H200, but gave
// wrong gradients of grouped and strided convolutions there.
std::string TargetAttribute(const Target& target) {
  const Architecture& architecture = ArchitectureOf(target.name);
  if (architecture.shared_memory_bytes == 0) return "";
  return "[#hal.device.target<\"cuda\", [#hal.executable.target<\"cuda\", "
         "\"cuda-nvptx-fb\", {iree_codegen.target_info = #iree_gpu.target<"
         "arch = \"" +
         target.name +
         "\", features = \"+ptx78\", wgp = <"
         "compute = fp64|fp32|fp16|int64|int32|int16|int8, "
         "storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, "
         "dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>, "
         "<NV_MMA_SYNC_F16_16x8x16_F16>, <NV_WMMA_F32_16x16x16_F16>, "
         "<NV_WMMA_F16_16x16x16_F16>], subgroup_size_choices = [32], "
         "max_workgroup_sizes = [1024, 1024, 1024], "
         "max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes "
         "= " +
         std::to_string(architecture.shared_memory_bytes) +
         ", max_workgroup_counts = [2147483647, 65535, 65535]>>}>]> "
         ": !hal.device]";
}

bool NameATarget(const std::vector<std::string>& flags) {
  return AnyHolds(flags, "iree-cuda-target");
}

bool HasBfloat16Kernels() { return false; }

// A GPU's code does not depend on the processor beside it.
const std::string& Processor() {
  static const auto& none = *new std::string();
  return none;
}

bool CompilesForGpus() { return true; }

bool EmbedsObject(const std::vector<std::string>&) { return false; }

std::vector<std::string> TuningFlags(const Cost&) { return {}; }

std::vector<std::string> AllTuningFlags() { return {}; }

}  // namespace iree_pjrt
