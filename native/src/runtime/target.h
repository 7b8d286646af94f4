// SPDX-License-Identifier: Apache-2.0
// What programs are compiled for, and what follows from it for the compiler.
// Each family of devices has its own: src/cpu/target.cc, src/cuda/target.cc.
#ifndef IREE_PJRT_RUNTIME_TARGET_H_
#define IREE_PJRT_RUNTIME_TARGET_H_

#include <string>
#include <string_view>
#include <vector>

namespace iree_pjrt {

struct ClientOptions;

// A plain value.
struct Target {
  // As flags and serialized topologies name it: `host`, `sm_90`.
  std::string name;
  // As frameworks show it.
  std::string device_kind;
};

// The target of a topology that no client made. `name` is what the framework
// asks for; it may be empty. Throws INVALID_ARGUMENT for a name that is not
// known, and where nothing says what to compile for.
Target TargetOfTopology(const ClientOptions& options, std::string_view name);

// Flags of the IREE compiler that choose the target.
std::vector<std::string> TargetFlags(const Target& target);

// Flags that the compiler takes for all programs of a process.
std::vector<std::string> ProcessFlags();

// The module's `hal.device.targets`, for a target that no flag can name; empty
// for others.
std::string TargetAttribute(const Target& target);

// Whether a flag of the user's names a target, which then counts.
bool NameATarget(const std::vector<std::string>& flags);

// This machine's processor, where compiled code runs on it; else empty.
const std::string& Processor();

// Whether IREE's microkernels multiply bfloat16 fast there.
bool HasBfloat16Kernels();

// Whether code is made for GPUs: of many threads, none of which is fast.
bool CompilesForGpus();

// Whether the compiler writes an object file that goes into the module.
bool EmbedsObject(const std::vector<std::string>& flags);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RUNTIME_TARGET_H_
