// SPDX-License-Identifier: Apache-2.0
#include "pjrt/executable.h"

#include <algorithm>
#include <cstring>

#include "base/row_major.h"
#include "pjrt/memory_description.h"

struct PJRT_SerializedExecutable {
  std::string bytes;
};
struct PJRT_SerializedCompileOptions {
  std::string bytes;
};

namespace iree_pjrt {
namespace {

constexpr char kProgramFormat[] = "mlir";

const Program& ProgramOf(PJRT_Executable* handle) {
  return *FromC(handle, "executable").program();
}

PJRT_NamedValue Property(std::string_view name, double number) {
  PJRT_NamedValue value{};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name.data();
  value.name_size = name.size();
  value.type = PJRT_NamedValue_kFloat;
  value.float_value = static_cast<float>(number);
  value.value_size = 1;
  return value;
}

int64_t SizeOf(const Shape& shape) {
  return static_cast<int64_t>(shape.byte_size());
}

}  // namespace

Executable::Executable(std::shared_ptr<const Program> program)
    : program_(std::move(program)) {
  const CostAnalysis& cost = program_->cost_analysis;
  costs_ = {Property("flops", cost.flops),
            Property("transcendentals", cost.transcendentals),
            Property("bytes accessed", cost.bytes_accessed)};
  for (size_t i = 0; i < program_->result_count(); ++i) {
    const Shape& shape = program_->result_shape(i);
    const std::string_view kind =
        MemoryDescriptions()[program_->result_memory(i)].kind;
    types_.push_back(shape.type->pjrt);
    dims_.insert(dims_.end(), shape.dims.begin(), shape.dims.end());
    ranks_.push_back(shape.dims.size());
    kinds_.push_back(kind.data());
    kind_sizes_.push_back(kind.size());
    owned_layouts_.push_back(std::make_unique<MemoryLayout>(
        MemoryLayout{RowMajorText(shape.dims.size())}));
    layouts_.push_back(owned_layouts_.back().get());
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
  args.num_outputs = ProgramOf(args.executable).result_count();
}

void ExecutableSizeOfGeneratedCode(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  args.size_in_bytes =
      static_cast<int64_t>(ProgramOf(args.executable).vmfb.size());
}

void ExecutableGetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args& args) {
  const auto& costs = FromC(args.executable, "executable").costs();
  args.properties = costs.data();
  args.num_properties = costs.size();
}

void ExecutableGetCompiledMemoryStats(
    PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  const Program& program = ProgramOf(args.executable);
  args.generated_code_size_in_bytes = static_cast<int64_t>(program.vmfb.size());
  args.argument_size_in_bytes = 0;
  args.alias_size_in_bytes = 0;
  for (size_t i = 0; i < program.argument_count(); ++i) {
    const int64_t size = SizeOf(program.argument_shape(i));
    args.argument_size_in_bytes += size;
    if (program.argument_donatable(i)) args.alias_size_in_bytes += size;
  }
  args.output_size_in_bytes = 0;
  for (size_t i = 0; i < program.result_count(); ++i) {
    args.output_size_in_bytes += SizeOf(program.result_shape(i));
  }
  args.alias_size_in_bytes =
      std::min(args.alias_size_in_bytes, args.output_size_in_bytes);
  args.temp_size_in_bytes = 0;
  args.host_generated_code_size_in_bytes = 0;
  args.host_argument_size_in_bytes = 0;
  args.host_output_size_in_bytes = 0;
  args.host_alias_size_in_bytes = 0;
  args.host_temp_size_in_bytes = 0;
  args.peak_memory_in_bytes =
      args.argument_size_in_bytes + args.output_size_in_bytes;
  args.total_size_in_bytes =
      args.peak_memory_in_bytes + args.generated_code_size_in_bytes;
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
  const Program& program = ProgramOf(args.executable);
  // The framework reads here what the partitioner decided.
  const std::string& source =
      program.shown.empty() ? program.source : program.shown;
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
