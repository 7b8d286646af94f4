// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/platform.h"
#include "base/status.h"
#include "device_options.h"
#include "release/release_line.h"
#include "runtime/target.h"

namespace iree_pjrt {
namespace {

// Plugins of the compiler that programs of either device family need. Each
// further one brings dialects, whose patterns every canonicalizer gathers:
// without them an MLP's training step compiles in a tenth less.
constexpr std::string_view kPlugins[] = {"hal_target_cuda",
                                         "hal_target_llvm_cpu",
                                         "hal_target_local", "input_stablehlo"};
// One that is left out, and a dialect that no session has without it.
constexpr char kLeftOut[] = "--iree-plugin=-input_tosa";
constexpr char kItsDialect[] = "tosa";

// Releases that run what they recorded once with the memory of this launch in
// conditionals too; 3.11 gives it none there.
constexpr ReleaseLines kBindsInConditionals{.from = {3, 13}};

template <typename Function>
void Load(void* library, const std::string& path, const char* name,
          Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) {
    throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
                "the IREE compiler library " + path + " lacks " + name +
                    "; this plugin works with iree-base-compiler " +
                    kIreeVersion);
  }
}

}  // namespace

const CompilerLibrary& CompilerLibrary::Open(const std::string& path) {
  static std::mutex mutex;
  static auto& libraries =
      *new std::map<std::string, std::unique_ptr<CompilerLibrary>>();
  if (path.empty()) {
    throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
                "no path to libIREECompiler.so: set the client option "
                "'compiler_library_path' or the environment variable "
                "IREE_PJRT_COMPILER_LIB_PATH (the library is in the Python "
                "package iree-base-compiler==" +
                    std::string(kIreeVersion) + ")");
  }
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<CompilerLibrary>& library = libraries[path];
  if (!library) library.reset(new CompilerLibrary(path));
  return *library;
}

void CompilerLibrary::Throw(iree_compiler_error_t* error,
                            const char* doing) const {
  if (!error) return;
  std::string message =
      std::string(doing) + ": " + ireeCompilerErrorGetMessage(error);
  ireeCompilerErrorDestroy(error);
  ThrowInvalidArgument(std::move(message));
}

CompilerLibrary::CompilerLibrary(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    throw Error(PJRT_Error_Code_NOT_FOUND,
                "cannot open the IREE compiler library: " +
                    std::string(reason ? reason : path));
  }
#define IREE_PJRT_LOAD(name) Load(library, path, #name, this->name);
  IREE_PJRT_COMPILER_FUNCTIONS(IREE_PJRT_LOAD)
#undef IREE_PJRT_LOAD
#define IREE_PJRT_LOAD(name, type) Load(library, path, #name, mlir.name);
  IREE_PJRT_MLIR_FUNCTIONS(IREE_PJRT_LOAD)
#undef IREE_PJRT_LOAD
  ireeCompilerGlobalInitialize();
  SetProcessFlags();
  const char* revision = ireeCompilerGetRevision();
  revision_ = revision ? revision : "";
}

// Sets the flags that no session takes, unless another plugin of ours in this
// process has: the library ends the process when they are set twice.
void CompilerLibrary::SetProcessFlags() {
  std::vector<std::string> flags = {"iree"};
  std::ranges::copy(ProcessFlags(), std::back_inserter(flags));
  if (!kReusesRecordings || !kBindsInConditionals.Hold(kReleaseLine)) {
    flags.push_back("--iree-hal-memoization=false");
  }
  const auto leave_out = [](const char* name, void* list) {
    if (std::ranges::find(kPlugins, name) != std::end(kPlugins)) return;
    static_cast<std::vector<std::string>*>(list)->push_back("--iree-plugin=-" +
                                                            std::string(name));
  };
  ireeCompilerEnumeratePlugins(leave_out, &flags);
  const bool knows_it = std::ranges::find(flags, kLeftOut) != flags.end();
  if (knows_it && !HasDialect(kItsDialect)) return;
  std::vector<const char*> argv;
  for (const std::string& flag : flags) argv.push_back(flag.c_str());
  ireeCompilerSetupGlobalCL(static_cast<int>(argv.size()), argv.data(), "",
                            /*installSignalHandlers=*/false);
}

bool CompilerLibrary::HasDialect(std::string_view name) const {
  iree_compiler_session_t* const session = ireeCompilerSessionCreate();
  const MlirDialect dialect = mlir.mlirContextGetOrLoadDialect(
      ireeCompilerSessionBorrowContext(session),
      MlirStringRef{name.data(), name.size()});
  ireeCompilerSessionDestroy(session);
  return dialect.ptr != nullptr;
}

}  // namespace iree_pjrt
