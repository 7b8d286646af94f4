// SPDX-License-Identifier: Apache-2.0
#include "pjrt/topology.h"

#include <charconv>
#include <string>
#include <string_view>

#include "base/platform.h"
#include "compile/compiler.h"

struct PJRT_SerializedTopology {
  std::string bytes;
};

namespace iree_pjrt {
namespace {

constexpr size_t kMaxDevices = 1024;
constexpr char kForPrefix[] = " for=";

std::string SerializedPrefix() {
  return std::string(kPlatformName) + " " + kIreeVersion + " devices=";
}

}  // namespace

Topology::Topology(size_t device_count, std::shared_ptr<Compiler> compiler)
    : compiler_(std::move(compiler)) {
  for (size_t i = 0; i < device_count; ++i) {
    owned_.push_back(std::make_unique<DeviceDescription>(static_cast<int>(i),
                                                         compiler_->target()));
    descriptions_.push_back(owned_.back().get());
  }
}

void TopologyCreate(PJRT_TopologyDescription_Create_Args& args) {
  const ClientOptions options =
      ParseClientOptions(args.create_options, args.num_options);
  const std::string_view name(args.topology_name ? args.topology_name : "",
                              args.topology_name ? args.topology_name_size : 0);
  args.topology = ToC(new Topology(
      DeviceCount(options.device),
      std::make_shared<Compiler>(options, TargetOfTopology(options, name))));
}

void TopologyDestroy(PJRT_TopologyDescription_Destroy_Args& args) {
  delete Take(args.topology);
}

void TopologyPlatformName(PJRT_TopologyDescription_PlatformName_Args& args) {
  args.platform_name = kPlatformName;
  args.platform_name_size = sizeof(kPlatformName) - 1;
}

void TopologyPlatformVersion(
    PJRT_TopologyDescription_PlatformVersion_Args& args) {
  args.platform_version = kPlatformVersion;
  args.platform_version_size = sizeof(kPlatformVersion) - 1;
}

void TopologyGetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args& args) {
  const Topology& topology = FromC(args.topology, "topology");
  args.descriptions = reinterpret_cast<PJRT_DeviceDescription* const*>(
      topology.descriptions().data());
  args.num_descriptions = topology.descriptions().size();
}

void TopologySerialize(PJRT_TopologyDescription_Serialize_Args& args) {
  const Topology& topology = FromC(args.topology, "topology");
  args.serialized_topology = new PJRT_SerializedTopology{
      // The framework keys caches by this.
      SerializedPrefix() + std::to_string(topology.descriptions().size()) +
      kForPrefix + topology.compiler()->target().name +
      " target=" + topology.compiler()->identity()};
  args.serialized_bytes = args.serialized_topology->bytes.data();
  args.serialized_bytes_size = args.serialized_topology->bytes.size();
  args.serialized_topology_deleter = [](PJRT_SerializedTopology* topology) {
    delete topology;
  };
}

void TopologyDeserialize(PJRT_TopologyDescription_Deserialize_Args& args) {
  const std::string_view text(
      args.serialized_topology ? args.serialized_topology : "",
      args.serialized_topology ? args.serialized_topology_size : 0);
  const std::string prefix = SerializedPrefix();
  size_t count = 0;
  std::string_view rest;
  if (text.starts_with(prefix)) {
    const char* end = text.data() + text.size();
    const auto parsed =
        std::from_chars(text.data() + prefix.size(), end, count);
    rest = {parsed.ptr, static_cast<size_t>(end - parsed.ptr)};
  }
  if (count == 0 || count > kMaxDevices || !rest.starts_with(kForPrefix)) {
    ThrowInvalidArgument("not a topology serialized by this plugin version");
  }
  rest.remove_prefix(sizeof(kForPrefix) - 1);
  const std::string_view target = rest.substr(0, rest.find(' '));
  const ClientOptions options = ParseClientOptions(nullptr, 0);
  args.topology =
      ToC(new Topology(count, std::make_shared<Compiler>(
                                  options, TargetOfTopology(options, target))));
}

void TopologyAttributes(PJRT_TopologyDescription_Attributes_Args& args) {
  FromC(args.topology, "topology");
  args.attributes = nullptr;
  args.num_attributes = 0;
}

}  // namespace iree_pjrt
