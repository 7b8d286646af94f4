// SPDX-License-Identifier: Apache-2.0
#include "mlir/stablehlo_names.h"

namespace iree_pjrt {

std::string_view StablehloName(std::string_view name) {
  if (name.starts_with("stablehlo.")) return name.substr(10);
  if (!IsVhlo(name)) return {};
  name.remove_prefix(5);
  const size_t version = name.rfind("_v");
  return version == std::string_view::npos ? name : name.substr(0, version);
}

bool IsVhlo(std::string_view name) { return name.starts_with("vhlo."); }

bool IsCall(std::string_view name) {
  return name == "func.call" || StablehloName(name) == "call";
}

std::string StablehloNameLike(std::string_view like, std::string_view name) {
  const std::string text(name);
  return IsVhlo(like) ? "vhlo." + text + "_v1" : "stablehlo." + text;
}

}  // namespace iree_pjrt
