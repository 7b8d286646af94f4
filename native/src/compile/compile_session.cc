// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_session.h"

#include <utility>

#include "base/scratch_file.h"
#include "base/status.h"
#include "compile/stream_passes.h"

namespace iree_pjrt {

namespace {

constexpr char kTuning[] = "tuning the IREE compiler";

iree_compiler_error_t* SetFlags(const CompilerLibrary& library,
                                iree_compiler_session_t* session,
                                const std::vector<std::string>& flags) {
  std::vector<const char*> argv;
  for (const std::string& flag : flags) argv.push_back(flag.c_str());
  return library.ireeCompilerSessionSetFlags(
      session, static_cast<int>(argv.size()), argv.data());
}

// In a session of its own, since no flag can be taken back.
void TryFlags(const CompilerLibrary& library,
              const std::vector<std::string>& flags) {
  iree_compiler_session_t* const session = library.ireeCompilerSessionCreate();
  iree_compiler_error_t* const error = SetFlags(library, session, flags);
  library.ireeCompilerSessionDestroy(session);
  library.Throw(error, kTuning);
}

}  // namespace

CompileSession::CompileSession(const CompilerLibrary& library,
                               const std::vector<std::string>& flags,
                               bool embeds_object,
                               const std::vector<std::string>& tuning)
    : library_(library), flags_(flags), session_(nullptr) {
  TryFlags(library, tuning);
  session_ = library.ireeCompilerSessionCreate();
  std::vector<std::string> linking;
  if (embeds_object) {
    object_path_ = ScratchPath(".o");
    linking = {"--iree-llvmcpu-link-embedded=false",
               "--iree-llvmcpu-link-static",
               "--iree-llvmcpu-static-library-output-path=" + object_path_};
  }
  if (iree_compiler_error_t* error = Set(std::move(linking), flags_)) {
    library.ireeCompilerSessionDestroy(std::exchange(session_, nullptr));
    library.Throw(error, "flags of the IREE compiler");
  }
  const MlirContext context =
      library.ireeCompilerSessionBorrowContext(session_);
  library.mlir.mlirContextEnableMultithreading(context, false);
  CheckPasses(library.mlir, context, PassesUntilScheduling());
  CheckPasses(library.mlir, context, PassesFromScheduling());
}

CompileSession::~CompileSession() {
  if (session_) library_.ireeCompilerSessionDestroy(session_);
}

void CompileSession::Tune(const std::vector<std::string>& flags) {
  tuned_ = true;
  library_.Throw(Set(flags, flags_), kTuning);
}

iree_compiler_error_t* CompileSession::Set(
    std::vector<std::string> first, const std::vector<std::string>& rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return SetFlags(library_, session_, first);
}

}  // namespace iree_pjrt
