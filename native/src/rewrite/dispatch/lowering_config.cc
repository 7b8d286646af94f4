// SPDX-License-Identifier: Apache-2.0
#include "rewrite/dispatch/lowering_config.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>

#include "mlir/generics.h"

namespace iree_pjrt {
namespace {

constexpr char kConfig[] = "lowering_config";

// Where the list of a level begins, after its bracket; npos without one.
size_t ListOf(const std::string& config, std::string_view level) {
  const std::string start = std::string(level) + " = [";
  const size_t at = config.find(start);
  return at == std::string::npos ? at : at + start.size();
}

std::string ConfigOf(const Ir& ir, MlirOperation op) {
  const MlirAttribute config = ir.Attribute(op, kConfig);
  return config.ptr ? ir.Print(config) : "";
}

}  // namespace

std::vector<int64_t> TileSizes(const Ir& ir, MlirOperation op,
                               std::string_view level) {
  const std::string config = ConfigOf(ir, op);
  const size_t at = ListOf(config, level);
  if (at == std::string::npos) return {};
  std::istringstream sizes(config.substr(at));
  std::vector<int64_t> found;
  int64_t size = 0;
  for (char comma = ','; comma == ',' && sizes >> size; sizes >> comma) {
    found.push_back(size);
  }
  return found;
}

void SetTileSizes(const Ir& ir, MlirOperation op, std::string_view level,
                  const std::vector<int64_t>& sizes) {
  std::string config = ConfigOf(ir, op);
  const size_t at = ListOf(config, level);
  if (at == std::string::npos) return;
  std::string list;
  for (const int64_t size : sizes) {
    list += (list.empty() ? "" : ", ") + std::to_string(size);
  }
  config.replace(at, config.find(']', at) - at, list);
  ir.SetAttribute(op, kConfig, ir.Parse(config));
}

void LimitTileSizes(const Ir& ir, MlirOperation op, std::string_view level,
                    int64_t most) {
  std::vector<int64_t> sizes = TileSizes(ir, op, level);
  for (int64_t& size : sizes) size = std::min(size, most);
  SetTileSizes(ir, op, level, sizes);
}

int64_t UpToWhole(int64_t turns, int64_t tile) {
  const int64_t step = std::max<int64_t>(tile, 1);
  return (turns + step - 1) / step * step;
}

int64_t DivisorUpTo(int64_t limit, int64_t number) {
  int64_t divisor = std::max<int64_t>(limit, 1);
  while (number % divisor != 0) --divisor;
  return divisor;
}

bool IsNarrow(const Ir& ir, MlirType element) {
  return ir.api.mlirTypeIsAInteger(element)
             ? ir.api.mlirIntegerTypeGetWidth(element) <= 16
             : ir.Print(element).find("16") != std::string::npos;
}

std::vector<MlirOperation> TiledWith(const Ir& ir, MlirOperation op) {
  const MlirOperation function = ir.Enclosing(op, "func.func");
  std::vector<MlirOperation> found = ir.AllOperations();
  std::erase_if(found, [&](MlirOperation other) {
    return ir.Enclosing(other, "func.func").ptr != function.ptr ||
           TileSizes(ir, other, kVectors).empty();
  });
  return found;
}

MlirType ResultTypeOf(const Ir& ir, MlirOperation op) {
  const std::vector<MlirType> types = ir.ResultTypes(op);
  return types.size() == 1 ? types[0] : MlirType{};
}

bool TiledAs(const Ir& ir, MlirOperation op) {
  const MlirType type = ResultTypeOf(ir, op);
  return std::ranges::all_of(TiledWith(ir, op), [&](MlirOperation tiled) {
    if (!ir.api.mlirTypeEqual(ResultTypeOf(ir, tiled), type)) return false;
    if (!IsGeneric(ir, tiled)) return true;
    const LoopList loops = IndexingMaps(ir, tiled).back();
    return loops == AllLoops(static_cast<int64_t>(loops.size()));
  });
}

}  // namespace iree_pjrt
