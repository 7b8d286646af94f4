// SPDX-License-Identifier: Apache-2.0
// A compiled program, independent of any device: what PJRT_Executable shows and
// what is serialized. Immutable and shared between executables.
#ifndef IREE_PJRT_PROGRAM_PROGRAM_H_
#define IREE_PJRT_PROGRAM_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/shape.h"
#include "ffi/foreign_call.h"
#include "program/compile_options.h"
#include "program/cost.h"

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
  // For each output, its index into MemoryDescriptions().
  std::vector<size_t> output_memories;
  // Inputs whose buffers the program may take over.
  std::vector<bool> donatable;
  // How many devices one launch runs on. With several, the inputs and outputs
  // are those of all devices together, and a launch has arguments and results
  // for each device.
  size_t device_count = 1;
  // For each argument the input that it is passed as: first all arguments of
  // the first device, then those of the second, and so on. Of several arguments
  // for one input only the first is read: they hold the same. Empty for one
  // device.
  std::vector<size_t> argument_inputs;
  // The same for results: the output that each is.
  std::vector<size_t> result_outputs;
  // Shown to the framework instead of `source`, with the shardings of inputs
  // and outputs in its attributes; empty for one device.
  std::string shown;
  Cost cost;
  CostAnalysis cost_analysis;
  // Calls of handlers on the host; the module imports them by their index.
  std::vector<ForeignCall> foreign_calls;
  // The processor it was compiled for (Processor); empty if the flags name
  // another target than the host.
  std::string cpu;
  // IREE's VM bytecode, aligned for use in place.
  std::string vmfb;

  // The number of arguments, or results, of one device.
  size_t argument_count() const;
  size_t result_count() const;
  // The input, or output, of an argument, or result, of a device.
  size_t input_of(size_t device, size_t argument) const;
  size_t output_of(size_t device, size_t result) const;
  // The same on all devices.
  const Shape& argument_shape(size_t argument) const;
  bool argument_donatable(size_t argument) const;
  const Shape& result_shape(size_t result) const;
  // Index into MemoryDescriptions().
  size_t result_memory(size_t result) const;
};

// Throws INTERNAL that says what is wrong, if the arguments and results of a
// program over several devices do not fit its inputs and outputs.
void CheckDeviceMaps(const Program& program);

std::string SerializeProgram(const Program& program);

// Throws INVALID_ARGUMENT for bytes of another plugin or version,
// FAILED_PRECONDITION for a program that this processor may not run. A non-null
// `override_options` replaces the options that the program was compiled with.
std::shared_ptr<Program> DeserializeProgram(
    std::string_view bytes, const std::string_view* override_options);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PROGRAM_PROGRAM_H_
