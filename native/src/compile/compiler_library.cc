// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler_library.h"

#include <dlfcn.h>

#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include "base/platform.h"
#include "base/status.h"

namespace iree_pjrt {
namespace {

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

// Sets the flags that no session takes.
void CompilerLibrary::SetProcessFlags() {
  const char* flags[] = {
      "iree",
      // IREE 3.11 records command buffers once and then feeds a conditional's
      // with no bindings: such a program fails when it runs. Recording anew is
      // no slower.
      "--iree-hal-memoization=false",
  };
  ireeCompilerSetupGlobalCL(std::size(flags), flags, "",
                            /*installSignalHandlers=*/false);
}

}  // namespace iree_pjrt
