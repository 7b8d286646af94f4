// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_session.h"

#include "base/scratch_file.h"
#include "compile/compiler_flags.h"
#include "compile/pass_lists.h"

namespace iree_pjrt {
namespace {

constexpr char kFlags[] = "flags of the IREE compiler";
constexpr char kTuning[] = "tuning the IREE compiler";

}  // namespace

CompileSession::CompileSession(const CompilerLibrary& library,
                               const std::vector<std::string>& flags,
                               bool embeds_object, Contexts contexts,
                               const std::vector<std::string>& tuning)
    : library_(library),
      flags_(flags),
      object_path_(embeds_object ? ScratchPath(".o") : ""),
      contexts_(contexts),
      takes_our_passes_(LeavesOurPasses(flags)),
      input_(library, FlagsAfter({}), kFlags) {
  CompilerContext(library, tuning, kTuning);
}

std::vector<std::string> CompileSession::FlagsAfter(
    std::vector<std::string> first) const {
  if (!object_path_.empty()) {
    first.insert(
        first.end(),
        {"--iree-llvmcpu-link-embedded=false", "--iree-llvmcpu-link-static",
         "--iree-llvmcpu-static-library-output-path=" + object_path_});
  }
  first.insert(first.end(), flags_.begin(), flags_.end());
  return first;
}

const CompilerContext& CompileSession::code(
    const std::vector<std::string>& tuning) {
  if (contexts_ == Contexts::kOneForAll) {
    input_.SetFlags(FlagsAfter(tuning), kTuning);
    return input_;
  }
  const auto found = code_.find(tuning);
  if (found != code_.end()) return found->second;
  return code_.try_emplace(tuning, library_, FlagsAfter(tuning), kTuning)
      .first->second;
}

const CompilerContext& CompileSession::Plain(
    std::optional<CompilerContext>& context) {
  if (contexts_ == Contexts::kOneForAll) return input_;
  if (!context) context.emplace(library_, FlagsAfter({}), kFlags);
  return *context;
}

const CompilerContext& CompileSession::stream() { return Plain(stream_); }

const CompilerContext& CompileSession::vm() { return Plain(vm_); }

const CompilerContext& CompileSession::part(size_t number) {
  while (parts_.size() <= number) {
    parts_.emplace_back(library_, FlagsAfter({}), kFlags);
  }
  return parts_[number];
}

const std::optional<AssignedDevice>& CompileSession::device(
    const std::string& targets) {
  const auto found = devices_.find(targets);
  if (found != devices_.end()) return found->second;
  return devices_.emplace(targets, AssignDevice(code({}), targets))
      .first->second;
}

const PassPipeline& CompileSession::to_dispatches() {
  if (!to_dispatches_) {
    to_dispatches_.emplace(library_.mlir, stream().mlir(),
                           PassesToDispatches());
  }
  return *to_dispatches_;
}

const std::vector<PassPipeline>& CompileSession::until_scheduling(
    bool straight_line) {
  auto& list = (straight_line ? straight_line_ : any_).until_scheduling;
  if (!list) {
    list.emplace(MakePipelines(library_.mlir, stream().mlir(),
                               PassesUntilScheduling(straight_line)));
  }
  return *list;
}

const std::vector<PassPipeline>& CompileSession::from_scheduling(
    bool straight_line) {
  auto& list = (straight_line ? straight_line_ : any_).from_scheduling;
  if (!list) {
    list.emplace(MakePipelines(library_.mlir, stream().mlir(),
                               PassesFromScheduling(straight_line)));
  }
  return *list;
}

const PassPipeline& CompileSession::to_vm() {
  if (!to_vm_) to_vm_.emplace(library_.mlir, vm().mlir(), PassesToVm());
  return *to_vm_;
}

const PassPipeline& CompileSession::in_loops() {
  if (!in_loops_) {
    in_loops_.emplace(library_.mlir, input_.mlir(), PassesInLoops());
  }
  return *in_loops_;
}

}  // namespace iree_pjrt
