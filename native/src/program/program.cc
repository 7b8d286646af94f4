// SPDX-License-Identifier: Apache-2.0
#include "program/program.h"

#include <algorithm>

#include "base/fingerprint.h"
#include "base/platform.h"
#include "base/wire.h"
#include "runtime/memory_kinds.h"
#include "runtime/target.h"

namespace iree_pjrt {
namespace {

namespace field {
constexpr uint64_t kVersion = 1;
constexpr uint64_t kName = 2;
constexpr uint64_t kFingerprint = 3;
constexpr uint64_t kSource = 4;
constexpr uint64_t kOptions = 5;
constexpr uint64_t kInput = 6;
constexpr uint64_t kOutput = 7;
constexpr uint64_t kVmfb = 8;
constexpr uint64_t kChecksum = 9;
constexpr uint64_t kNanoseconds = 10;
constexpr uint64_t kUnbounded = 11;
constexpr uint64_t kCostAnalysis = 12;
constexpr uint64_t kForeignCall = 13;
constexpr uint64_t kCpu = 14;
constexpr uint64_t kDeviceCount = 15;
constexpr uint64_t kArgumentInputs = 16;
constexpr uint64_t kResultOutputs = 17;
constexpr uint64_t kShown = 18;
constexpr uint64_t kType = 1;
constexpr uint64_t kDim = 2;
constexpr uint64_t kDonatable = 3;
constexpr uint64_t kMemory = 4;
constexpr uint64_t kFlops = 1;
constexpr uint64_t kTranscendentals = 2;
constexpr uint64_t kBytesAccessed = 3;
}  // namespace field

// Writes a whole number, `most` where it is larger.
void WriteUpTo(WireWriter& writer, uint64_t field, double number, double most) {
  writer.Number(field, static_cast<int64_t>(std::min(number, most)));
}

std::string SerializeCost(const CostAnalysis& cost) {
  constexpr double kMost = 9e18;
  WireWriter writer;
  WriteUpTo(writer, field::kFlops, cost.flops, kMost);
  WriteUpTo(writer, field::kTranscendentals, cost.transcendentals, kMost);
  WriteUpTo(writer, field::kBytesAccessed, cost.bytes_accessed, kMost);
  return writer.Take();
}

CostAnalysis ParseCost(std::string_view bytes) {
  CostAnalysis cost;
  for (WireReader r(bytes); r.Next();) {
    const double number = static_cast<double>(r.number());
    if (r.field() == field::kFlops) cost.flops = number;
    if (r.field() == field::kTranscendentals) cost.transcendentals = number;
    if (r.field() == field::kBytesAccessed) cost.bytes_accessed = number;
  }
  return cost;
}

// Writes `more` under the field `which`, unless it is zero.
std::string SerializeShape(const Shape& shape, uint64_t which, size_t more) {
  WireWriter writer;
  writer.Number(field::kType, shape.type->pjrt);
  for (int64_t dim : shape.dims) writer.Number(field::kDim, dim);
  if (more) writer.Number(which, static_cast<int64_t>(more));
  return writer.Take();
}

Shape ParseShape(std::string_view bytes, uint64_t which, size_t* more) {
  int64_t type = PJRT_Buffer_Type_INVALID;
  std::vector<int64_t> dims;
  for (WireReader r(bytes); r.Next();) {
    if (r.field() == field::kType) type = r.number();
    if (r.field() == field::kDim) dims.push_back(r.number());
    if (r.field() == which) *more = static_cast<size_t>(r.number());
  }
  return MakeShape(static_cast<PJRT_Buffer_Type>(type), dims.data(),
                   dims.size());
}

[[noreturn]] void ThrowDamaged() {
  ThrowInvalidArgument("the serialized executable is damaged");
}

std::string SerializeIndices(const std::vector<size_t>& indices) {
  WireWriter writer;
  for (size_t index : indices) writer.Varint(index);
  return writer.Take();
}

std::vector<size_t> ParseIndices(std::string_view packed) {
  std::vector<size_t> indices;
  while (!packed.empty()) {
    indices.push_back(static_cast<size_t>(WireReader::PopVarint(packed)));
  }
  return indices;
}

// The checksum is the last field, over all before it.
std::string SealOf(std::string_view body) {
  WireWriter seal;
  seal.Bytes(field::kChecksum, Fingerprint({body}));
  return seal.Take();
}

// The version is the first field, so that an executable of another version is
// told from a damaged one.
void CheckVersion(std::string_view bytes) {
  WireReader first(bytes);
  if (!first.Next()) ThrowDamaged();
  if (first.field() != field::kVersion || first.bytes() != kPlatformVersion) {
    ThrowInvalidArgument("not an executable serialized by " +
                         std::string(kPlatformVersion));
  }
}

// The bytes before the checksum, which must be right.
std::string_view BodyOf(std::string_view bytes) {
  const size_t seal_size = SealOf("").size();
  if (bytes.size() < seal_size) ThrowDamaged();
  const std::string_view body = bytes.substr(0, bytes.size() - seal_size);
  if (bytes.substr(body.size()) != SealOf(body)) ThrowDamaged();
  return body;
}

void ParseField(const WireReader& r, Program& program) {
  size_t more = 0;
  switch (r.field()) {
    case field::kName:
      program.name = r.bytes();
      break;
    case field::kFingerprint:
      program.fingerprint = r.bytes();
      break;
    case field::kSource:
      program.source = r.bytes();
      break;
    case field::kOptions:
      program.compile_options_proto = r.bytes();
      break;
    case field::kInput:
      program.inputs.push_back(ParseShape(r.bytes(), field::kDonatable, &more));
      program.donatable.push_back(more != 0);
      break;
    case field::kOutput:
      program.outputs.push_back(ParseShape(r.bytes(), field::kMemory, &more));
      if (more >= MemoryDescriptions().size()) ThrowDamaged();
      program.output_memories.push_back(more);
      break;
    case field::kForeignCall:
      program.foreign_calls.push_back(ParseForeignCall(r.bytes()));
      break;
    case field::kVmfb:
      program.vmfb = r.bytes();
      break;
    case field::kNanoseconds:
      program.cost.microseconds = static_cast<double>(r.number()) * 1e-3;
      break;
    case field::kUnbounded:
      program.cost.bounded = r.number() == 0;
      break;
    case field::kCostAnalysis:
      program.cost_analysis = ParseCost(r.bytes());
      break;
    case field::kCpu:
      program.cpu = r.bytes();
      break;
    case field::kDeviceCount:
      program.device_count = static_cast<size_t>(r.number());
      break;
    case field::kArgumentInputs:
      program.argument_inputs = ParseIndices(r.bytes());
      break;
    case field::kResultOutputs:
      program.result_outputs = ParseIndices(r.bytes());
      break;
    case field::kShown:
      program.shown = r.bytes();
      break;
    default:
      break;
  }
}

// Checks one map. For each argument (or result) of each device, `map` has the
// index of an input (or output) in `shapes`.
void CheckDeviceMap(const std::vector<size_t>& map,
                    const std::vector<Shape>& shapes, size_t devices,
                    const std::string& arguments, const std::string& inputs) {
  const auto fail = [&](const std::string& what) {
    ThrowInternal("the " + arguments + " of the " + std::to_string(devices) +
                  " devices do not fit the partitioned program: " + what);
  };
  if (map.size() % devices != 0) {
    fail("there are " + std::to_string(map.size()) + " of them");
  }
  const size_t per_device = map.size() / devices;
  std::vector<bool> named(shapes.size());
  for (size_t i = 0; i < map.size(); ++i) {
    if (map[i] >= shapes.size()) {
      fail("it has no " + inputs + " " + std::to_string(map[i]));
    }
    named[map[i]] = true;
    const Shape& shape = shapes[map[i]];
    const Shape& first = shapes[map[i % per_device]];
    if (shape.dims != first.dims || shape.type != first.type) {
      fail("number " + std::to_string(i % per_device) +
           " has not the same shape on all of them");
    }
  }
  for (size_t i = 0; i < named.size(); ++i) {
    if (!named[i]) fail("none is its " + inputs + " " + std::to_string(i));
  }
}

}  // namespace

size_t Program::argument_count() const {
  return device_count == 1 ? inputs.size()
                           : argument_inputs.size() / device_count;
}

size_t Program::result_count() const {
  return device_count == 1 ? outputs.size()
                           : result_outputs.size() / device_count;
}

size_t Program::input_of(size_t device, size_t argument) const {
  return device_count == 1
             ? argument
             : argument_inputs[device * argument_count() + argument];
}

size_t Program::output_of(size_t device, size_t result) const {
  return device_count == 1 ? result
                           : result_outputs[device * result_count() + result];
}

const Shape& Program::argument_shape(size_t argument) const {
  return inputs[input_of(0, argument)];
}

bool Program::argument_donatable(size_t argument) const {
  return donatable[input_of(0, argument)];
}

const Shape& Program::result_shape(size_t result) const {
  return outputs[output_of(0, result)];
}

size_t Program::result_memory(size_t result) const {
  return output_memories[output_of(0, result)];
}

void CheckDeviceMaps(const Program& program) {
  if (program.device_count == 1) return;
  CheckDeviceMap(program.argument_inputs, program.inputs, program.device_count,
                 "arguments", "input");
  CheckDeviceMap(program.result_outputs, program.outputs, program.device_count,
                 "results", "output");
}

std::string SerializeProgram(const Program& program) {
  WireWriter writer;
  writer.Bytes(field::kVersion, kPlatformVersion);
  writer.Bytes(field::kName, program.name);
  writer.Bytes(field::kFingerprint, program.fingerprint);
  writer.Bytes(field::kSource, program.source);
  writer.Bytes(field::kOptions, program.compile_options_proto);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    writer.Bytes(field::kInput,
                 SerializeShape(program.inputs[i], field::kDonatable,
                                program.donatable[i]));
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    writer.Bytes(field::kOutput,
                 SerializeShape(program.outputs[i], field::kMemory,
                                program.output_memories[i]));
  }
  WriteUpTo(writer, field::kNanoseconds, program.cost.microseconds * 1e3, 1e15);
  writer.Number(field::kUnbounded, program.cost.bounded ? 0 : 1);
  writer.Bytes(field::kCostAnalysis, SerializeCost(program.cost_analysis));
  for (const ForeignCall& call : program.foreign_calls) {
    writer.Bytes(field::kForeignCall, SerializeForeignCall(call));
  }
  if (!program.cpu.empty()) writer.Bytes(field::kCpu, program.cpu);
  if (program.device_count != 1) {
    writer.Number(field::kDeviceCount,
                  static_cast<int64_t>(program.device_count));
    writer.Bytes(field::kArgumentInputs,
                 SerializeIndices(program.argument_inputs));
    writer.Bytes(field::kResultOutputs,
                 SerializeIndices(program.result_outputs));
    writer.Bytes(field::kShown, program.shown);
  }
  writer.Bytes(field::kVmfb, program.vmfb);
  std::string bytes = writer.Take();
  return bytes += SealOf(bytes);
}

std::shared_ptr<Program> DeserializeProgram(
    std::string_view bytes, const std::string_view* override_options) {
  CheckVersion(bytes);
  auto program = std::make_shared<Program>();
  for (WireReader r(BodyOf(bytes)); r.Next();) ParseField(r, *program);
  if (!program->cpu.empty() && program->cpu != Processor()) {
    throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
                "the serialized executable was compiled for another kind of "
                "processor");
  }
  if (override_options) program->compile_options_proto = *override_options;
  program->compile_options =
      ParseCompileOptions(program->compile_options_proto);
  if (program->device_count != program->compile_options.device_count()) {
    ThrowInvalidArgument(
        "the serialized executable is for " +
        std::to_string(program->device_count) + " devices, not for the " +
        std::to_string(program->compile_options.device_count()) +
        " of the compile options");
  }
  CheckDeviceMaps(*program);
  return program;
}

}  // namespace iree_pjrt
