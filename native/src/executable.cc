// SPDX-License-Identifier: Apache-2.0
#include "executable.h"

#include <cstring>

struct PJRT_SerializedExecutable {
  std::string bytes;
};
struct PJRT_SerializedCompileOptions {
  std::string bytes;
};

namespace iree_pjrt {
namespace {

constexpr char kMemoryKind[] = "device";
constexpr char kProgramFormat[] = "mlir";

const Program& ProgramOf(PJRT_Executable* handle) {
  return *FromC(handle, "executable").program();
}

}  // namespace

Executable::Executable(std::shared_ptr<const Program> program)
    : program_(std::move(program)) {
  for (const Shape& shape : program_->outputs) {
    types_.push_back(shape.type->pjrt);
    dims_.insert(dims_.end(), shape.dims.begin(), shape.dims.end());
    ranks_.push_back(shape.dims.size());
    kinds_.push_back(kMemoryKind);
    kind_sizes_.push_back(sizeof(kMemoryKind) - 1);
  }
}

void ExecutableDestroy(PJRT_Executable_Destroy_Args& args) {
  delete Take(args.executable);
}

void ExecutableName(PJRT_Executable_Name_Args& args) {
  const std::string& name = ProgramOf(args.executable).name;
  args.executable_name = name.c_str();
  args.executable_name_size = name.size();
}

void ExecutableNumReplicas(PJRT_Executable_NumReplicas_Args& args) {
  args.num_replicas = static_cast<size_t>(
      ProgramOf(args.executable).compile_options.num_replicas);
}

void ExecutableNumPartitions(PJRT_Executable_NumPartitions_Args& args) {
  args.num_partitions = static_cast<size_t>(
      ProgramOf(args.executable).compile_options.num_partitions);
}

void ExecutableNumOutputs(PJRT_Executable_NumOutputs_Args& args) {
  args.num_outputs = ProgramOf(args.executable).outputs.size();
}

void ExecutableSizeOfGeneratedCode(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  args.size_in_bytes =
      static_cast<int64_t>(ProgramOf(args.executable).vmfb.size());
}

void ExecutableOutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args& args) {
  const Executable& executable = FromC(args.executable, "executable");
  args.num_outputs = executable.output_kinds().size();
  args.memory_kinds = executable.output_kinds().data();
  args.memory_kind_sizes = executable.output_kind_sizes().data();
}

void ExecutableOutputElementTypes(
    PJRT_Executable_OutputElementTypes_Args& args) {
  const Executable& executable = FromC(args.executable, "executable");
  args.num_output_types = executable.output_types().size();
  args.output_types =
      const_cast<PJRT_Buffer_Type*>(executable.output_types().data());
}

void ExecutableOutputDimensions(PJRT_Executable_OutputDimensions_Args& args) {
  const Executable& executable = FromC(args.executable, "executable");
  args.num_outputs = executable.output_ranks().size();
  args.dims = executable.output_dims().data();
  args.dim_sizes = executable.output_ranks().data();
}

void ExecutableOptimizedProgram(PJRT_Executable_OptimizedProgram_Args& args) {
  const std::string& source = ProgramOf(args.executable).source;
  if (!args.program) ThrowInvalidArgument("program is null");
  args.program->format = kProgramFormat;
  args.program->format_size = sizeof(kProgramFormat) - 1;
  if (args.program->code) {
    if (args.program->code_size < source.size()) {
      ThrowInvalidArgument("program->code is too small");
    }
    std::memcpy(args.program->code, source.data(), source.size());
  }
  args.program->code_size = source.size();
}

void ExecutableFingerprint(PJRT_Executable_Fingerprint_Args& args) {
  const std::string& fingerprint = ProgramOf(args.executable).fingerprint;
  args.executable_fingerprint = fingerprint.c_str();
  args.executable_fingerprint_size = fingerprint.size();
}

void ExecutableSerialize(PJRT_Executable_Serialize_Args& args) {
  const Program& program = *FromC(args.executable, "executable").program();
  args.serialized_executable =
      new PJRT_SerializedExecutable{SerializeProgram(program)};
  args.serialized_bytes = args.serialized_executable->bytes.data();
  args.serialized_bytes_size = args.serialized_executable->bytes.size();
  args.serialized_executable_deleter =
      [](PJRT_SerializedExecutable* executable) { delete executable; };
}

void ExecutableGetCompileOptions(PJRT_Executable_GetCompileOptions_Args& args) {
  args.serialized_compile_options = new PJRT_SerializedCompileOptions{
      ProgramOf(args.executable).compile_options_proto};
  args.serialized_bytes = args.serialized_compile_options->bytes.data();
  args.serialized_bytes_size = args.serialized_compile_options->bytes.size();
  args.serialized_compile_options_deleter =
      [](PJRT_SerializedCompileOptions* options) { delete options; };
}

}  // namespace iree_pjrt
