// SPDX-License-Identifier: Apache-2.0
// A compiled program, independent of any device: what PJRT_Executable shows and
// what is serialized. Immutable and shared between executables.
#ifndef IREE_PJRT_PROGRAM_H_
#define IREE_PJRT_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compile_options.h"
#include "cost_analysis.h"
#include "ffi/foreign_call.h"
#include "shape.h"
#include "tuning.h"

namespace iree_pjrt {

struct Program {
  std::string name;
  std::string fingerprint;
  // As the framework sent it, with the serialized CompileOptionsProto.
  std::string source;
  std::string compile_options_proto;
  CompileOptions compile_options;
  std::vector<Shape> inputs;
  std::vector<Shape> outputs;
  // Of each output, index into MemoryDescriptions().
  std::vector<size_t> output_memories;
  // Inputs whose buffers the program may take over.
  std::vector<bool> donatable;
  Cost cost;
  CostAnalysis cost_analysis;
  // What handlers on the host answer; the module imports them by their index.
  std::vector<ForeignCall> foreign_calls;
  // The processor it was compiled for (Processor); empty if the flags name
  // another target than the host.
  std::string cpu;
  // IREE's VM bytecode, aligned for use in place.
  std::string vmfb;

  int64_t device_count() const {
    return compile_options.num_replicas * compile_options.num_partitions;
  }
};

std::string SerializeProgram(const Program& program);

// Throws INVALID_ARGUMENT for bytes of another plugin or version,
// FAILED_PRECONDITION for a program that this processor may not run. A non-null
// `override_options` replaces the options that the program was compiled with.
std::shared_ptr<Program> DeserializeProgram(
    std::string_view bytes, const std::string_view* override_options);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PROGRAM_H_
