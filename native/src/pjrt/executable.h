// SPDX-License-Identifier: Apache-2.0
// PJRT_Executable: a compiled program that belongs to no device. Owned by the
// caller of the C API. Immutable.
#ifndef IREE_PJRT_PJRT_EXECUTABLE_H_
#define IREE_PJRT_PJRT_EXECUTABLE_H_

#include <memory>
#include <vector>

#include "base/handle.h"
#include "pjrt/layouts.h"
#include "program/program.h"

namespace iree_pjrt {

class Executable {
 public:
  explicit Executable(std::shared_ptr<const Program> program);

  const std::shared_ptr<const Program>& program() const { return program_; }

  // The outputs in the form that the C API hands out.
  const std::vector<PJRT_NamedValue>& costs() const { return costs_; }
  const std::vector<PJRT_Buffer_Type>& output_types() const { return types_; }
  const std::vector<int64_t>& output_dims() const { return dims_; }
  const std::vector<size_t>& output_ranks() const { return ranks_; }
  const std::vector<const char*>& output_kinds() const { return kinds_; }
  const std::vector<size_t>& output_kind_sizes() const { return kind_sizes_; }
  const std::vector<MemoryLayout*>& output_layouts() const { return layouts_; }

 private:
  std::shared_ptr<const Program> program_;
  std::vector<PJRT_NamedValue> costs_;
  std::vector<PJRT_Buffer_Type> types_;
  std::vector<int64_t> dims_;
  std::vector<size_t> ranks_;
  std::vector<const char*> kinds_;
  std::vector<size_t> kind_sizes_;
  std::vector<std::unique_ptr<MemoryLayout>> owned_layouts_;
  std::vector<MemoryLayout*> layouts_;
};
IREE_PJRT_HANDLE(PJRT_Executable, Executable)

void ExecutableDestroy(PJRT_Executable_Destroy_Args& args);
void ExecutableName(PJRT_Executable_Name_Args& args);
void ExecutableNumReplicas(PJRT_Executable_NumReplicas_Args& args);
void ExecutableNumPartitions(PJRT_Executable_NumPartitions_Args& args);
void ExecutableNumOutputs(PJRT_Executable_NumOutputs_Args& args);
void ExecutableSizeOfGeneratedCode(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args);
void ExecutableGetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args& args);
// IREE decides on temporary memory at run time: their sizes are zero.
void ExecutableGetCompiledMemoryStats(
    PJRT_Executable_GetCompiledMemoryStats_Args& args);
void ExecutableOutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args& args);
void ExecutableOutputElementTypes(
    PJRT_Executable_OutputElementTypes_Args& args);
void ExecutableOutputDimensions(PJRT_Executable_OutputDimensions_Args& args);
void ExecutableOptimizedProgram(PJRT_Executable_OptimizedProgram_Args& args);
void ExecutableFingerprint(PJRT_Executable_Fingerprint_Args& args);
void ExecutableSerialize(PJRT_Executable_Serialize_Args& args);
void ExecutableGetCompileOptions(PJRT_Executable_GetCompileOptions_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PJRT_EXECUTABLE_H_
