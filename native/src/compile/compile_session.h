// SPDX-License-Identifier: Apache-2.0
// A context of the compiler with its flags, and the passes that it keeps from
// program to program. One thread at a time. Borrows the library, which is never
// closed.
#ifndef IREE_PJRT_COMPILE_COMPILE_SESSION_H_
#define IREE_PJRT_COMPILE_COMPILE_SESSION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/compiler_library.h"
#include "compile/pass_pipeline.h"
#include "compile/tuning.h"

namespace iree_pjrt {

class CompileSession {
 public:
  // Throws INVALID_ARGUMENT for flags that the compiler does not take, those
  // that it may be tuned with among them: that of the first large program would
  // else be the first to fail.
  // `embeds_object`: the compiler writes its object to a file, from where it
  // goes into the module; needs flags that do not say how to link.
  CompileSession(const CompilerLibrary& library,
                 const std::vector<std::string>& flags, bool embeds_object,
                 const std::vector<std::string>& tuning = AllTuningFlags());
  CompileSession(const CompileSession&) = delete;
  CompileSession& operator=(const CompileSession&) = delete;

  const CompilerLibrary& library() const { return library_; }
  iree_compiler_session_t* get() const { return session_.get(); }
  const std::vector<std::string>& flags() const { return flags_; }
  // Where the object is written; empty if it is not.
  const std::string& object_path() const { return object_path_; }

  // The lists of compile/stream_passes.h.
  const std::vector<PassPipeline>& until_scheduling() const {
    return until_scheduling_;
  }
  const std::vector<PassPipeline>& from_scheduling() const {
    return from_scheduling_;
  }

  const PassPipeline& in_loops() const { return *in_loops_; }

  // For the rest of the session's life; the flags it was made with win.
  void Tune(const std::vector<std::string>& flags);
  bool tuned() const { return tuned_; }

 private:
  iree_compiler_error_t* Set(std::vector<std::string> first,
                             const std::vector<std::string>& rest);

  const CompilerLibrary& library_;
  const std::vector<std::string> flags_;
  std::string object_path_;
  std::unique_ptr<iree_compiler_session_t, void (*)(iree_compiler_session_t*)>
      session_;
  std::vector<PassPipeline> until_scheduling_;
  std::vector<PassPipeline> from_scheduling_;
  std::optional<PassPipeline> in_loops_;
  bool tuned_ = false;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_COMPILE_SESSION_H_
