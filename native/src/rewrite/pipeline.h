// SPDX-License-Identifier: Apache-2.0
// All of our passes over a program, in the order in which they run: between
// parsing and IREE's pipeline, and between the phases of that. The invocation
// runs them phase by phase. What each phase sees: README.md here.
#ifndef IREE_PJRT_REWRITE_PIPELINE_H_
#define IREE_PJRT_REWRITE_PIPELINE_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ffi/foreign_call.h"
#include "mlir/ir.h"
#include "release/release_line.h"

namespace iree_pjrt {

enum class Phase {
  kReceived,    // as the framework sent it; the signature is read after it
  kStablehlo,   // before IREE's pipeline
  kLinalg,      // after IREE's input phase
  kFlow,        // after IREE's flow phase
  kStream,      // before each list of passes of IREE's stream phase
  kScheduling,  // right before that phase decides what is run together
  kSources,     // dispatches are ready to be compiled
  kDispatch,    // IREE has chosen how dispatches are compiled
  kHal,         // after IREE's hal phase
  kVm,          // after IREE's vm phase
};

// `received`, `stablehlo` ...
std::string_view NameOf(Phase phase);

// What passes are told, and what they find out, about one program.
struct PassContext {
  // Of the compiler: passes that it does not need are not run.
  ReleaseLine line = kReleaseLine;
  size_t device_count = 1;
  // Whether matrices are packed for large products.
  bool packs = false;
  // Whether the target has AMX, and this process may use it.
  bool has_tiles = false;
  // Whether IREE's microkernels multiply bfloat16 fast.
  bool has_bfloat16_kernels = false;
  // Inputs that the program may write into.
  std::vector<bool> donatable;
  // Whether the target is a GPU: passes for the others are not run.
  bool for_gpus = false;
  // Fuses what is in a module of one function; false if that fails.
  std::function<bool(MlirOperation module)> fuse_loop;
  // Makes the compiled object; throws what reading it throws.
  std::function<std::string()> object;
  // Calls of handlers on the host, found by RewriteForeignCalls.
  std::vector<ForeignCall> foreign_calls;

  // Passes that are not run, by name.
  std::vector<std::string> skipped;

  // Passes whose module is saved before and after, by name; kAllPasses or
  // kChangingPasses.
  std::vector<std::string> saved;
  std::function<void(const std::string& name, std::string_view text)> save;
  int count = 0;  // of passes that were saved, for the names of files
};

// What a pass is for: IREE makes code of another kind for each.
enum class Targets { kAll, kCpus, kGpus };

struct Pass {
  Phase phase;
  const char* name;
  void (*run)(const Ir& ir, PassContext& context);
  // What would happen without it.
  const char* why;
  // The release lines of IREE that need it.
  ReleaseLines needed = {};
  Targets targets = Targets::kAll;
};

std::span<const Pass> Passes();

// Runs the passes of a phase, each within a span of the profiler. Throws what
// they throw.
void RunPasses(Phase phase, const Ir& ir, PassContext& context);

// Stand for every pass, and for each that changes its module, where passes are
// named that are saved.
inline constexpr char kAllPasses[] = "all";
inline constexpr char kChangingPasses[] = "changing";

// Throws INVALID_ARGUMENT for a name that no pass has; `variable` of the
// environment has the names.
void CheckPassNames(const char* variable,
                    const std::vector<std::string>& names);

// A line for each pass: phase, name, reason, the releases that need it and the
// targets that do (empty for all), with a tab between two.
const std::string& PassTable();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_PIPELINE_H_
