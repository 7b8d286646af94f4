// SPDX-License-Identifier: Apache-2.0
// What is kept from program to program: the contexts of the compiler that one
// goes through, and the passes that we run in them. One thread at a time.
#ifndef IREE_PJRT_COMPILE_COMPILE_SESSION_H_
#define IREE_PJRT_COMPILE_COMPILE_SESSION_H_

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/assigned_device.h"
#include "compile/compiler_context.h"
#include "compile/pass_pipeline.h"
#include "compile/tuning.h"

namespace iree_pjrt {

enum class Contexts {
  kOneEach,    // for each part of the pipeline: many programs are compiled
  kOneForAll,  // for one program with large constants, of which each move is a
               // copy, and which a context keeps as long as it lives
};

class CompileSession {
 public:
  // Throws INVALID_ARGUMENT for flags that the compiler does not take, those
  // that it may be tuned with among them: that of the first large program would
  // else be the first to fail.
  // `embeds_object`: the compiler writes its object to a file, from where it
  // goes into the module; needs flags that do not say how to link.
  CompileSession(const CompilerLibrary& library,
                 const std::vector<std::string>& flags, bool embeds_object,
                 Contexts contexts = Contexts::kOneEach,
                 const std::vector<std::string>& tuning = AllTuningFlags());
  CompileSession(const CompileSession&) = delete;
  CompileSession& operator=(const CompileSession&) = delete;

  const std::vector<std::string>& flags() const { return flags_; }
  Contexts contexts() const { return contexts_; }
  // Where the object is written; empty if it is not.
  const std::string& object_path() const { return object_path_; }

  // From the framework's program to linalg on tensors.
  const CompilerContext& input() const { return input_; }
  // From there to commands.
  const CompilerContext& stream();
  // From commands to compiled dispatches, and what goes through IREE's own
  // pipelines. The flags that the session was made with win.
  const CompilerContext& code(const std::vector<std::string>& tuning);
  // From there to what is written as bytecode.
  const CompilerContext& vm();
  // One of those for code that another thread compiles beside that in `code`.
  const CompilerContext& part(size_t number);

  // Whether our lists of passes are what the flags ask for.
  bool takes_our_passes() const { return takes_our_passes_; }

  // What IREE assigns to programs that have these targets
  // (compile/assigned_device.h), asked in `code`.
  const std::optional<AssignedDevice>& device(const std::string& targets);

  // The lists of compile/pass_lists.h, in the context `stream`, the last one in
  // `vm`. Throw FAILED_PRECONDITION for a pass that the library does not have.
  const PassPipeline& to_dispatches();
  const std::vector<PassPipeline>& until_scheduling(bool straight_line);
  const std::vector<PassPipeline>& from_scheduling(bool straight_line);
  const PassPipeline& to_vm();

  // In the context `input`.
  const PassPipeline& in_loops();

 private:
  // The lists for programs of one kind, once there was one.
  struct Lists {
    std::optional<std::vector<PassPipeline>> until_scheduling;
    std::optional<std::vector<PassPipeline>> from_scheduling;
  };

  // Those of the session after the given ones, with those of linking.
  std::vector<std::string> FlagsAfter(std::vector<std::string> first) const;
  const CompilerContext& Plain(std::optional<CompilerContext>& context);

  const CompilerLibrary& library_;
  const std::vector<std::string> flags_;
  const std::string object_path_;
  const Contexts contexts_;
  const bool takes_our_passes_;
  const CompilerContext input_;
  // By their tuning.
  std::map<std::vector<std::string>, CompilerContext> code_;
  std::optional<CompilerContext> stream_;
  std::optional<CompilerContext> vm_;
  std::deque<CompilerContext> parts_;
  // By their targets.
  std::map<std::string, std::optional<AssignedDevice>> devices_;
  std::optional<PassPipeline> to_dispatches_;
  Lists straight_line_;
  Lists any_;
  std::optional<PassPipeline> to_vm_;
  std::optional<PassPipeline> in_loops_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_COMPILE_SESSION_H_
