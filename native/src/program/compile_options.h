// SPDX-License-Identifier: Apache-2.0
// The few fields of XLA's CompileOptionsProto that matter here, read straight
// from the wire format. Unknown fields are skipped, as protobuf does.
#ifndef IREE_PJRT_PROGRAM_COMPILE_OPTIONS_H_
#define IREE_PJRT_PROGRAM_COMPILE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iree_pjrt {

struct CompileOptions {
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  bool portable = false;
  // Device ids, replica by replica: [replica * num_partitions + partition].
  // Empty if the framework assigned none.
  std::vector<int64_t> device_ids;
  // From env_option_overrides["iree_compiler_options"].
  std::vector<std::string> compiler_flags;

  size_t device_count() const {
    return static_cast<size_t>(num_replicas * num_partitions);
  }
};

// Throws INVALID_ARGUMENT for bytes that are no CompileOptionsProto, for
// numbers that make no sense and for an override that is not known.
CompileOptions ParseCompileOptions(std::string_view proto);

// A serialized DeviceAssignmentProto.
std::string SerializeDeviceAssignment(int64_t num_replicas,
                                      int64_t num_partitions,
                                      const std::vector<int64_t>& device_ids);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PROGRAM_COMPILE_OPTIONS_H_
