// SPDX-License-Identifier: Apache-2.0
#include "mlir/generics.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string>

#include "mlir/attributes.h"

namespace iree_pjrt {
namespace {

// `affine_map<(d0, d1) -> (d1)>`: of `count` loops, indexed by these.
std::string MapText(int64_t count, const LoopList& indexing) {
  const auto list = [](const LoopList& loops) {
    std::string text;
    for (const int64_t loop : loops) {
      text += text.empty() ? "" : ", ";
      text += loop == kNoLoop ? "0" : "d" + std::to_string(loop);
    }
    return "(" + text + ")";
  };
  return "affine_map<" + list(AllLoops(count)) + " -> " + list(indexing) + ">";
}

// The `iterator_types` of `count` loops.
// `kept`: those that index the result; the others are reduced.
std::string Iterators(int64_t count, const LoopList& kept) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    text += i ? ", " : "";
    text += std::ranges::count(kept, i) ? "#linalg.iterator_type<parallel>"
                                        : "#linalg.iterator_type<reduction>";
  }
  return "[" + text + "]";
}

// How many loops these maps name.
int64_t LoopsNamed(const std::vector<LoopList>& maps) {
  int64_t loops = 0;
  for (const LoopList& map : maps) {
    for (const int64_t loop : map) loops = std::max(loops, loop + 1);
  }
  return loops;
}

// Without a body; the last operand is written.
MlirOperation CreateGeneric(const Ir& ir, MlirOperation before,
                            const std::vector<MlirValue>& operands,
                            const std::vector<MlirType>& results,
                            MlirAttribute maps, MlirAttribute iterators) {
  const std::string inputs = std::to_string(operands.size() - 1);
  return ir.CreateBefore(
      before, "linalg.generic", operands, results,
      {ir.Named("operandSegmentSizes",
                ir.Parse("array<i32: " + inputs + ", 1>")),
       ir.Named("indexing_maps", maps), ir.Named("iterator_types", iterators)},
      1);
}

}  // namespace

bool IsGeneric(const Ir& ir, MlirOperation op) {
  return op.ptr && ir.Name(op) == "linalg.generic";
}

bool IsReduction(const Ir& ir, MlirOperation op) {
  return IsGeneric(ir, op) &&
         ir.Print(ir.Attribute(op, "iterator_types")).find("reduction") !=
             std::string::npos;
}

bool IsElementwise(const Ir& ir, MlirOperation op) {
  return IsGeneric(ir, op) && !IsReduction(ir, op);
}

bool HasComplexOperand(const Ir& ir, MlirOperation op) {
  return std::ranges::any_of(ir.Operands(op), [&](MlirValue operand) {
    MlirType type = ir.api.mlirValueGetType(operand);
    if (ir.api.mlirTypeIsAShaped(type)) {
      type = ir.api.mlirShapedTypeGetElementType(type);
    }
    return ir.api.mlirTypeIsAComplex(type);
  });
}

bool SameElements(const Ir& ir, MlirValue one, MlirValue other) {
  const auto elements = [&](MlirValue value) {
    return ir.api.mlirShapedTypeGetElementType(ir.api.mlirValueGetType(value));
  };
  return ir.api.mlirTypeEqual(elements(one), elements(other));
}

bool IsContraction(const Ir& ir, MlirOperation op) {
  return ir.api.mlirOperationGetNumOperands(op) == 3 && IsReduction(ir, op);
}

std::vector<LoopList> IndexingMaps(const Ir& ir, MlirOperation op) {
  std::vector<LoopList> maps;
  const std::string text = ir.Print(ir.Attribute(op, "indexing_maps"));
  constexpr std::string_view kResults = " -> (";
  for (size_t at = text.find(kResults); at != std::string::npos;
       at = text.find(kResults, at)) {
    at += kResults.size();
    std::istringstream results(text.substr(at, text.find(")>", at) - at));
    LoopList& map = maps.emplace_back();
    for (std::string one; std::getline(results >> std::ws, one, ',');) {
      const bool loop =
          one[0] == 'd' &&
          one.find_first_not_of("0123456789", 1) == std::string::npos;
      map.push_back(loop ? std::stoll(one.substr(1)) : kNoLoop);
    }
  }
  return maps;
}

std::optional<int64_t> LoopOf(const Ir& ir, MlirValue index) {
  const MlirOperation op = ir.Definition(index);
  if (!op.ptr || ir.Name(op) != "linalg.index") return std::nullopt;
  return ReadInteger(ir, ir.Attribute(op, "dim"));
}

MlirValue MakeLoopIndex(const Ir& ir, MlirOperation before, int64_t loop) {
  const std::string dim = std::to_string(loop) + " : i64";
  return ir.Results(ir.CreateBefore(before, "linalg.index", {},
                                    {ir.ParseType("index")},
                                    {ir.Named("dim", ir.Parse(dim))}))[0];
}

int64_t LoopCount(const Ir& ir, MlirOperation op) {
  return ir.api.mlirArrayAttrGetNumElements(ir.Attribute(op, "iterator_types"));
}

LoopList AllLoops(int64_t count) {
  LoopList loops(static_cast<size_t>(count));
  std::iota(loops.begin(), loops.end(), 0);
  return loops;
}

MlirAttribute MapsOf(const Ir& ir, int64_t count,
                     const std::vector<LoopList>& maps) {
  std::string texts;
  for (const LoopList& map : maps) {
    texts += (texts.empty() ? "" : ", ") + MapText(count, map);
  }
  return ir.Parse("[" + texts + "]");
}

void SetIndexingMaps(const Ir& ir, MlirOperation op,
                     const std::vector<LoopList>& maps) {
  const int64_t loops = LoopsNamed(maps);
  ir.SetAttribute(op, "indexing_maps", MapsOf(ir, loops, maps));
  ir.SetAttribute(op, "iterator_types",
                  ir.Parse(Iterators(loops, maps.back())));
}

MlirOperation MakeGeneric(const Ir& ir, MlirOperation before,
                          const std::vector<MlirValue>& operands,
                          const std::vector<LoopList>& maps,
                          const std::vector<MlirType>& results) {
  const int64_t loops = LoopsNamed(maps);
  return CreateGeneric(ir, before, operands, results, MapsOf(ir, loops, maps),
                       ir.Parse(Iterators(loops, maps.back())));
}

std::vector<MlirValue> AddInputs(const Ir& ir, MlirOperation generic,
                                 std::vector<MlirValue> arrays,
                                 const std::vector<LoopList>& maps) {
  const MlirBlock body = ir.Body(generic);
  const MlirLocation location = ir.api.mlirOperationGetLocation(generic);
  std::vector<MlirValue> elements;
  for (const MlirValue array : arrays) {
    elements.push_back(ir.api.mlirBlockInsertArgument(
        body, std::ssize(elements),
        ir.api.mlirShapedTypeGetElementType(ir.api.mlirValueGetType(array)),
        location));
  }
  std::string texts = ir.Print(MapsOf(ir, LoopCount(ir, generic), maps));
  texts.back() = ',';
  texts += ir.Print(ir.Attribute(generic, "indexing_maps")).substr(1);
  std::ranges::copy(ir.Operands(generic), std::back_inserter(arrays));
  const MlirOperation made =
      CreateGeneric(ir, generic, arrays, ir.ResultTypes(generic),
                    ir.Parse(texts), ir.Attribute(generic, "iterator_types"));
  ir.api.mlirRegionTakeBody(ir.api.mlirOperationGetFirstRegion(made),
                            ir.api.mlirOperationGetFirstRegion(generic));
  ir.Replace(generic, ir.Results(made));
  return elements;
}

MlirBlock AddElementBody(const Ir& ir, MlirOperation generic) {
  std::vector<MlirType> types;
  for (const MlirValue operand : ir.Operands(generic)) {
    const MlirType type = ir.api.mlirValueGetType(operand);
    types.push_back(
        ir.IsArray(operand) ? ir.api.mlirShapedTypeGetElementType(type) : type);
  }
  const std::vector<MlirLocation> locations(
      types.size(), ir.api.mlirOperationGetLocation(generic));
  const MlirBlock body = ir.api.mlirBlockCreate(
      static_cast<intptr_t>(types.size()), types.data(), locations.data());
  ir.api.mlirRegionAppendOwnedBlock(ir.api.mlirOperationGetFirstRegion(generic),
                                    body);
  return body;
}

MlirOperation MakeElementwise(const Ir& ir, MlirOperation before,
                              std::string_view operation, MlirValue input,
                              MlirValue target) {
  const MlirType to = ir.api.mlirValueGetType(target);
  const bool tensor = ir.Print(to).starts_with("tensor");
  const LoopList all = AllLoops(ir.api.mlirShapedTypeGetRank(to));
  const MlirOperation generic = MakeGeneric(
      ir, before, {input, target}, {ir.IsArray(input) ? all : LoopList{}, all},
      tensor ? std::vector<MlirType>{to} : std::vector<MlirType>{});
  const MlirBlock body = AddElementBody(ir, generic);
  const MlirLocation location = ir.api.mlirOperationGetLocation(generic);
  MlirValue element = ir.api.mlirBlockGetArgument(body, 0);
  if (!operation.empty()) {
    element =
        ir.Results(ir.AppendTo(body, location, operation, {element},
                               {ir.api.mlirShapedTypeGetElementType(to)}))[0];
  }
  ir.AppendTo(body, location, "linalg.yield", {element});
  return generic;
}

MlirOperation YieldedBy(const Ir& ir, MlirOperation op) {
  if (!IsGeneric(ir, op)) return {nullptr};
  const MlirOperation end = ir.Terminator(ir.Body(op));
  if (ir.api.mlirOperationGetNumOperands(end) != 1) return {nullptr};
  return ir.Definition(ir.api.mlirOperationGetOperand(end, 0));
}

}  // namespace iree_pjrt
