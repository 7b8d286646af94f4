// SPDX-License-Identifier: Apache-2.0
#include "program/compile_options.h"

#include "base/wire.h"
#include "program/options.h"

namespace iree_pjrt {
namespace {

// Field numbers of xla/pjrt/proto/compile_options.proto and xla_data.proto.
namespace field {
constexpr uint64_t kBuildOptions = 3;
constexpr uint64_t kPortable = 4;
constexpr uint64_t kEnvOptionOverrides = 7;
constexpr uint64_t kNumReplicas = 4;
constexpr uint64_t kNumPartitions = 5;
constexpr uint64_t kDeviceAssignment = 9;
constexpr uint64_t kReplicaCount = 1;
constexpr uint64_t kComputationCount = 2;
constexpr uint64_t kComputationDevices = 3;
constexpr uint64_t kReplicaDeviceIds = 1;
constexpr uint64_t kMapKey = 1;
constexpr uint64_t kMapValue = 2;
constexpr uint64_t kStringField = 1;
}  // namespace field

constexpr char kCompilerFlagsOverride[] = "iree_compiler_options";
constexpr int64_t kMaxDevices = 1 << 20;

std::vector<int64_t> ParseReplicaIds(std::string_view computation) {
  std::vector<int64_t> ids;
  for (WireReader r(computation); r.Next();) {
    if (r.field() != field::kReplicaDeviceIds) continue;
    if (!r.is_bytes()) {
      ids.push_back(r.number());
      continue;
    }
    std::string_view packed = r.bytes();
    while (!packed.empty()) ids.push_back(WireReader::PopVarint(packed));
  }
  return ids;
}

void ParseDeviceAssignment(std::string_view proto, CompileOptions& options) {
  int64_t replicas = 0;
  int64_t computations = 0;
  std::vector<std::vector<int64_t>> by_computation;
  for (WireReader r(proto); r.Next();) {
    if (r.field() == field::kReplicaCount) replicas = r.number();
    if (r.field() == field::kComputationCount) computations = r.number();
    if (r.field() == field::kComputationDevices) {
      by_computation.push_back(ParseReplicaIds(r.bytes()));
    }
  }
  bool whole = static_cast<int64_t>(by_computation.size()) == computations;
  for (const auto& ids : by_computation) {
    whole &= static_cast<int64_t>(ids.size()) == replicas;
  }
  if (!whole) {
    ThrowInvalidArgument("compile options: the device assignment is not whole");
  }
  options.device_ids.clear();
  if (by_computation.empty()) return;  // of any number of replicas
  for (int64_t replica = 0; replica < replicas; ++replica) {
    for (const auto& ids : by_computation) {
      options.device_ids.push_back(ids[replica]);
    }
  }
}

void ParseBuildOptions(std::string_view proto, CompileOptions& options) {
  for (WireReader r(proto); r.Next();) {
    if (r.field() == field::kNumReplicas) options.num_replicas = r.number();
    if (r.field() == field::kNumPartitions) options.num_partitions = r.number();
    if (r.field() == field::kDeviceAssignment) {
      ParseDeviceAssignment(r.bytes(), options);
    }
  }
}

// Whether it is an option of XLA's compiler, which programs set on any
// platform.
bool IsOfXla(std::string_view key) {
  return key.starts_with("xla_") || key == "exec_time_optimization_effort" ||
         key == "memory_fitting_effort";
}

void ParseOverride(std::string_view entry, CompileOptions& options) {
  std::string_view key;
  std::string_view value;
  for (WireReader r(entry); r.Next();) {
    if (r.field() == field::kMapKey) key = r.bytes();
    if (r.field() == field::kMapValue) value = r.bytes();
  }
  if (IsOfXla(key)) return;
  if (key != kCompilerFlagsOverride) {
    ThrowInvalidArgument("No such compile option: '" + std::string(key) +
                         "'; there are '" + kCompilerFlagsOverride +
                         "' (string: flags of the IREE compiler) and XLA's "
                         "own, which have no effect");
  }
  for (WireReader r(value); r.Next();) {
    if (r.field() != field::kStringField) {
      ThrowInvalidArgument("compile option '" + std::string(key) +
                           "' must be a string");
    }
    options.compiler_flags = SplitFlags(r.bytes());
  }
}

}  // namespace

CompileOptions ParseCompileOptions(std::string_view proto) {
  CompileOptions options;
  for (WireReader r(proto); r.Next();) {
    if (r.field() == field::kBuildOptions)
      ParseBuildOptions(r.bytes(), options);
    if (r.field() == field::kPortable) options.portable = r.number() != 0;
    if (r.field() == field::kEnvOptionOverrides) {
      ParseOverride(r.bytes(), options);
    }
  }
  // An unset field reads as zero.
  if (options.num_replicas == 0) options.num_replicas = 1;
  if (options.num_partitions == 0) options.num_partitions = 1;
  if (options.num_replicas < 0 || options.num_replicas > kMaxDevices ||
      options.num_partitions < 0 || options.num_partitions > kMaxDevices) {
    ThrowInvalidArgument(
        "compile options: " + std::to_string(options.num_replicas) +
        " replicas of " + std::to_string(options.num_partitions) +
        " partitions");
  }
  return options;
}

std::string SerializeDeviceAssignment(int64_t num_replicas,
                                      int64_t num_partitions,
                                      const std::vector<int64_t>& device_ids) {
  WireWriter writer;
  writer.Number(field::kReplicaCount, num_replicas);
  writer.Number(field::kComputationCount, num_partitions);
  for (int64_t partition = 0; partition < num_partitions; ++partition) {
    WireWriter packed;
    for (int64_t replica = 0; replica < num_replicas; ++replica) {
      packed.Varint(static_cast<uint64_t>(
          device_ids.at(replica * num_partitions + partition)));
    }
    WireWriter computation;
    computation.Bytes(field::kReplicaDeviceIds, packed.Take());
    writer.Bytes(field::kComputationDevices, computation.Take());
  }
  return writer.Take();
}

}  // namespace iree_pjrt
