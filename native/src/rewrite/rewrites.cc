// SPDX-License-Identifier: Apache-2.0
#include "rewrite/rewrites.h"

namespace iree_pjrt {

std::string_view StablehloName(std::string_view name) {
  if (name.starts_with("stablehlo.")) return name.substr(10);
  if (!name.starts_with("vhlo.")) return {};
  name.remove_prefix(5);
  const size_t version = name.rfind("_v");
  return version == std::string_view::npos ? name : name.substr(0, version);
}

std::string StablehloNameLike(std::string_view like, std::string_view name) {
  const std::string text(name);
  return like.starts_with("vhlo.") ? "vhlo." + text + "_v1"
                                   : "stablehlo." + text;
}

std::vector<ForeignCall> RewriteProgram(const Ir& ir, size_t device_count) {
  RewriteComposites(ir);
  WidenSmallIntegers(ir);
  RewriteRngStates(ir);
  RewriteUnsignedOperations(ir);
  SplitFullReductions(ir);
  OrderFloatExtremes(ir);
  RewriteDotProducts(ir);
  RewriteComplexUpdates(ir);
  RewriteComplexAbs(ir);
  RewritePlacementMarkers(ir);
  if (device_count == 1) {
    RewriteShardingMarkers(ir);
    RewriteCollectivesOfOne(ir);
  }
  GuardSharedShapes(ir);
  std::vector<ForeignCall> calls;
  RewriteForeignCalls(ir, calls);
  return calls;
}

}  // namespace iree_pjrt
