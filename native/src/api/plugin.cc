// SPDX-License-Identifier: Apache-2.0
#include "api/plugin.h"

#include <array>
#include <string_view>

#include "api/api_list.h"
#include "base/platform.h"
#include "rewrite/pipeline.h"

namespace iree_pjrt {
namespace {

// The newest StableHLO that libIREECompiler of this IREE release reads. A
// framework sends the older of this version and its own.
constexpr int64_t kStablehloCurrent[] = {IREE_PJRT_STABLEHLO_VERSION_LIST};
constexpr int64_t kStablehloMinimum[] = {0, 9, 0};
constexpr int64_t kXlaVersion = 2;

// A line for each function of the C API that is not implemented: NAME: REASON.
#define IREE_PJRT_SKIP(...)
#define IREE_PJRT_LINE(name, reason) #name ": " reason "\n"
constexpr char kUnimplemented[] =
    "" IREE_PJRT_API_LIST(IREE_PJRT_SKIP, IREE_PJRT_LINE);
#undef IREE_PJRT_SKIP
#undef IREE_PJRT_LINE

PJRT_NamedValue Named(std::string_view name) {
  PJRT_NamedValue value{};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name.data();
  value.name_size = name.size();
  value.value_size = 1;
  return value;
}

PJRT_NamedValue IntList(std::string_view name, const int64_t* list,
                        size_t size) {
  PJRT_NamedValue value = Named(name);
  value.type = PJRT_NamedValue_kInt64List;
  value.int64_array_value = list;
  value.value_size = size;
  return value;
}

PJRT_NamedValue Int(std::string_view name, int64_t number) {
  PJRT_NamedValue value = Named(name);
  value.type = PJRT_NamedValue_kInt64;
  value.int64_value = number;
  return value;
}

PJRT_NamedValue Bool(std::string_view name, bool flag) {
  PJRT_NamedValue value = Named(name);
  value.type = PJRT_NamedValue_kBool;
  value.bool_value = flag;
  return value;
}

PJRT_NamedValue String(std::string_view name, std::string_view text) {
  PJRT_NamedValue value = Named(name);
  value.type = PJRT_NamedValue_kString;
  value.string_value = text.data();
  value.value_size = text.size();
  return value;
}

}  // namespace

void PluginInitialize(PJRT_Plugin_Initialize_Args&) {}

void PluginAttributes(PJRT_Plugin_Attributes_Args& args) {
  static const std::array attributes = {
      IntList("stablehlo_current_version", kStablehloCurrent,
              std::size(kStablehloCurrent)),
      IntList("stablehlo_minimum_version", kStablehloMinimum,
              std::size(kStablehloMinimum)),
      Int("xla_version", kXlaVersion),
      Bool("supports_executable_serialization", true),
      String("plugin_version", kPluginVersion),
      String("iree_version", kIreeVersion),
      String("unimplemented", kUnimplemented),
      String("passes", PassTable()),
  };
  args.attributes = attributes.data();
  args.num_attributes = attributes.size();
}

}  // namespace iree_pjrt
