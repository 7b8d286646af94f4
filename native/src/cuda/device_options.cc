// SPDX-License-Identifier: Apache-2.0
#include "device_options.h"

#include <string_view>

#include "base/named_value.h"
#include "base/status.h"

namespace iree_pjrt {
namespace {

constexpr char kOrdinalVariable[] = "IREE_PJRT_CUDA_DEVICE";
constexpr char kTargetVariable[] = "IREE_PJRT_CUDA_TARGET";
constexpr char kAsyncVariable[] = "IREE_PJRT_CUDA_ASYNC_ALLOCATION";
constexpr char kCommandVariable[] = "IREE_PJRT_CUDA_COMMAND_BUFFERS";
constexpr char kStagingVariable[] = "IREE_PJRT_CUDA_PINNED_STAGING_SIZE";

bool ParseSwitch(const std::string& name, std::string_view text) {
  if (text == "0" || text == "1") return text == "1";
  ThrowInvalidArgument(name + " is '" + std::string(text) +
                       "'; allowed are 0, 1");
}

// JAX hands over as text what its user wrote in one string.
bool IsText(const PJRT_NamedValue& value) {
  return value.type == PJRT_NamedValue_kString;
}

bool ParseGraphs(const std::string& name, std::string_view text) {
  if (text == "graph") return true;
  if (text == "stream") return false;
  ThrowInvalidArgument(name + " is '" + std::string(text) +
                       "'; allowed are graph, stream");
}

}  // namespace

bool ParseDeviceOption(const std::string& name, const PJRT_NamedValue& value,
                       DeviceOptions& options) {
  const std::string said = "client option '" + name + "'";
  if (name == "device_ordinal") {
    options.device_ordinal = NumberValue(name, value, 0);
  } else if (name == "target") {
    options.target = StringValue(name, value);
  } else if (name == "async_allocation") {
    options.async_allocation = IsText(value)
                                   ? ParseSwitch(said, StringValue(name, value))
                                   : BoolValue(name, value);
  } else if (name == "command_buffers") {
    options.graphs = ParseGraphs(said, StringValue(name, value));
  } else if (name == "pinned_staging_size") {
    options.staging_bytes = NumberValue(name, value, 0);
  } else {
    return false;
  }
  return true;
}

void ReadDeviceVariables(const GetEnv& getenv, DeviceOptions& options) {
  const auto read = [&getenv](const char* name) {
    const char* text = getenv(name);
    return std::string_view(text ? text : "");
  };
  if (const auto text = read(kOrdinalVariable); !text.empty()) {
    options.device_ordinal = ParseNumber(kOrdinalVariable, text, 0);
  }
  options.target = read(kTargetVariable);
  if (const auto text = read(kAsyncVariable); !text.empty()) {
    options.async_allocation = ParseSwitch(kAsyncVariable, text);
  }
  if (const auto text = read(kCommandVariable); !text.empty()) {
    options.graphs = ParseGraphs(kCommandVariable, text);
  }
  if (const auto text = read(kStagingVariable); !text.empty()) {
    options.staging_bytes =
        static_cast<int64_t>(ParseByteCount(kStagingVariable, text));
  }
}

}  // namespace iree_pjrt
