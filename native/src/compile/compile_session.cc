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
    : library_(library),
      flags_(flags),
      session_(nullptr, library.ireeCompilerSessionDestroy) {
  TryFlags(library, tuning);
  session_.reset(library.ireeCompilerSessionCreate());
  std::vector<std::string> linking;
  if (embeds_object) {
    object_path_ = ScratchPath(".o");
    linking = {"--iree-llvmcpu-link-embedded=false",
               "--iree-llvmcpu-link-static",
               "--iree-llvmcpu-static-library-output-path=" + object_path_};
  }
  library.Throw(Set(std::move(linking), flags_), "flags of the IREE compiler");
  const MlirApi& mlir = library.mlir;
  const MlirContext context =
      library.ireeCompilerSessionBorrowContext(session_.get());
  mlir.mlirContextEnableMultithreading(context, false);
  until_scheduling_ = MakePipelines(mlir, context, PassesUntilScheduling());
  from_scheduling_ = MakePipelines(mlir, context, PassesFromScheduling());
  in_loops_.emplace(mlir, context, PassesInLoops());
}

void CompileSession::Tune(const std::vector<std::string>& flags) {
  tuned_ = true;
  library_.Throw(Set(flags, flags_), kTuning);
}

iree_compiler_error_t* CompileSession::Set(
    std::vector<std::string> first, const std::vector<std::string>& rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return SetFlags(library_, session_.get(), first);
}

}  // namespace iree_pjrt
