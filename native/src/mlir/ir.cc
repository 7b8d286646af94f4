// SPDX-License-Identifier: Apache-2.0
#include "mlir/ir.h"

#include "base/status.h"
#include "mlir/stablehlo_names.h"

namespace iree_pjrt {
namespace {

MlirStringRef Ref(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::string_view Ir::Name(MlirOperation op) const {
  const MlirStringRef name =
      api.mlirIdentifierStr(api.mlirOperationGetName(op));
  return {name.data, name.length};
}

std::string Ir::Print(MlirType type) const {
  std::string text;
  api.mlirTypePrint(type, &AppendToString, &text);
  return text;
}

std::string Ir::Print(MlirAttribute attribute) const {
  std::string text;
  if (attribute.ptr) api.mlirAttributePrint(attribute, &AppendToString, &text);
  return text;
}

std::string Ir::Print(MlirOperation op) const {
  std::string text;
  api.mlirOperationPrint(op, &AppendToString, &text);
  return text;
}

void Ir::LoadDialect(std::string_view name) const {
  api.mlirContextGetOrLoadDialect(context, Ref(name));
}

MlirAttribute Ir::Attribute(MlirOperation op, std::string_view name) const {
  return api.mlirOperationGetAttributeByName(op, Ref(name));
}

std::string Ir::StringAttribute(MlirOperation op, std::string_view name) const {
  // "text", @text, or #vhlo.string_v1<"text">
  const std::string printed = Print(Attribute(op, name));
  if (printed.starts_with("@")) return printed.substr(1);
  const size_t begin = printed.find('"');
  const size_t end = printed.rfind('"');
  if (begin == std::string::npos || end <= begin) return "";
  return printed.substr(begin + 1, end - begin - 1);
}

std::vector<MlirOperation> Ir::AllOperations() const {
  std::vector<MlirOperation> operations;
  api.mlirOperationWalk(
      module,
      [](MlirOperation op, void* out) {
        static_cast<std::vector<MlirOperation>*>(out)->push_back(op);
        return kMlirWalkAdvance;
      },
      &operations, kMlirWalkPostOrder);
  return operations;
}

MlirOperation Ir::Function(std::string_view name) const {
  for (MlirOperation op = api.mlirBlockGetFirstOperation(Body(module)); op.ptr;
       op = api.mlirOperationGetNextInBlock(op)) {
    if (StringAttribute(op, "sym_name") == name) return op;
  }
  return {nullptr};
}

MlirBlock Ir::Body(MlirOperation op) const {
  if (api.mlirOperationGetNumRegions(op) == 0) return {nullptr};
  return api.mlirRegionGetFirstBlock(api.mlirOperationGetFirstRegion(op));
}

MlirOperation Ir::Definition(MlirValue value) const {
  return api.mlirValueIsAOpResult(value) ? api.mlirOpResultGetOwner(value)
                                         : MlirOperation{nullptr};
}

MlirBlock Ir::HomeOf(MlirValue value) const {
  const MlirOperation op = Definition(value);
  return op.ptr ? api.mlirOperationGetBlock(op)
                : api.mlirBlockArgumentGetOwner(value);
}

bool Ir::IsArray(MlirValue value) const {
  return api.mlirTypeIsAShaped(api.mlirValueGetType(value));
}

bool Ir::IsReshape(MlirOperation op) const {
  return Name(op) == "tensor.collapse_shape" ||
         Name(op) == "tensor.expand_shape" || Name(op) == "flow.tensor.reshape";
}

MlirValue Ir::BeforeReshapes(MlirValue tensor) const {
  for (MlirOperation op; (op = Definition(tensor)).ptr && IsReshape(op);) {
    tensor = api.mlirOperationGetOperand(op, 0);
  }
  return tensor;
}

MlirOperation Ir::DefinitionBeforeReshapes(MlirValue tensor) const {
  return Definition(BeforeReshapes(tensor));
}

MlirOperation Ir::AncestorIn(MlirBlock block, MlirOperation inside) const {
  while (inside.ptr && api.mlirOperationGetBlock(inside).ptr != block.ptr) {
    inside = api.mlirOperationGetParentOperation(inside);
  }
  return inside;
}

MlirOperation Ir::Enclosing(MlirOperation op, std::string_view name) const {
  while (op.ptr && Name(op) != name)
    op = api.mlirOperationGetParentOperation(op);
  return op;
}

std::vector<MlirBlock> Ir::Blocks(MlirOperation op) const {
  std::vector<MlirBlock> blocks;
  for (intptr_t i = 0; i < api.mlirOperationGetNumRegions(op); ++i) {
    for (MlirBlock block =
             api.mlirRegionGetFirstBlock(api.mlirOperationGetRegion(op, i));
         block.ptr; block = api.mlirBlockGetNextInRegion(block)) {
      blocks.push_back(block);
    }
  }
  return blocks;
}

std::vector<MlirOperation> Ir::OperationsOf(MlirBlock block) const {
  std::vector<MlirOperation> operations;
  for (MlirOperation op = api.mlirBlockGetFirstOperation(block); op.ptr;
       op = api.mlirOperationGetNextInBlock(op)) {
    operations.push_back(op);
  }
  return operations;
}

MlirOperation Ir::Terminator(MlirBlock block) const {
  MlirOperation last{nullptr};
  for (MlirOperation op = api.mlirBlockGetFirstOperation(block); op.ptr;
       op = api.mlirOperationGetNextInBlock(op)) {
    last = op;
  }
  return last;
}

MlirOperation Ir::CreateBefore(
    MlirOperation before, std::string_view name,
    const std::vector<MlirValue>& operands,
    const std::vector<MlirType>& results,
    const std::vector<MlirNamedAttribute>& attributes, intptr_t regions) const {
  MlirOperationState state = api.mlirOperationStateGet(
      Ref(name), api.mlirOperationGetLocation(before));
  api.mlirOperationStateAddOperands(
      &state, static_cast<intptr_t>(operands.size()), operands.data());
  api.mlirOperationStateAddResults(
      &state, static_cast<intptr_t>(results.size()), results.data());
  api.mlirOperationStateAddAttributes(
      &state, static_cast<intptr_t>(attributes.size()), attributes.data());
  for (intptr_t i = 0; i < regions; ++i) {
    const MlirRegion region = api.mlirRegionCreate();
    api.mlirOperationStateAddOwnedRegions(&state, 1, &region);
  }
  const MlirOperation op = api.mlirOperationCreate(&state);
  if (!op.ptr) ThrowInternal("cannot create " + std::string(name));
  api.mlirBlockInsertOwnedOperationBefore(api.mlirOperationGetBlock(before),
                                          before, op);
  return op;
}

MlirOperation Ir::AppendTo(MlirBlock block, MlirLocation location,
                           std::string_view name,
                           const std::vector<MlirValue>& operands,
                           const std::vector<MlirType>& results) const {
  MlirOperationState state =
      api.mlirOperationStateGet({name.data(), name.size()}, location);
  api.mlirOperationStateAddOperands(
      &state, static_cast<intptr_t>(operands.size()), operands.data());
  api.mlirOperationStateAddResults(
      &state, static_cast<intptr_t>(results.size()), results.data());
  const MlirOperation op = api.mlirOperationCreate(&state);
  api.mlirBlockAppendOwnedOperation(block, op);
  return op;
}

MlirOperation Ir::CloneBefore(MlirOperation before, MlirOperation op) const {
  const MlirOperation clone = api.mlirOperationClone(op);
  api.mlirBlockInsertOwnedOperationBefore(api.mlirOperationGetBlock(before),
                                          before, clone);
  return clone;
}

MlirNamedAttribute Ir::Named(std::string_view name,
                             MlirAttribute attribute) const {
  return {api.mlirIdentifierGet(context, Ref(name)), attribute};
}

void Ir::SetAttribute(MlirOperation op, std::string_view name,
                      MlirAttribute attribute) const {
  api.mlirOperationSetAttributeByName(op, Ref(name), attribute);
}

void Ir::RemoveAttribute(MlirOperation op, std::string_view name) const {
  api.mlirOperationRemoveAttributeByName(op, Ref(name));
}

MlirOperation Ir::ParseOperation(std::string_view text) const {
  const MlirOperation op =
      api.mlirOperationCreateParse(context, Ref(text), Ref("generated"));
  if (!op.ptr) ThrowInternal("cannot parse " + std::string(text));
  return op;
}

MlirAttribute Ir::Parse(std::string_view text) const {
  const MlirAttribute attribute = api.mlirAttributeParseGet(context, Ref(text));
  if (!attribute.ptr) ThrowInternal("cannot parse " + std::string(text));
  return attribute;
}

MlirType Ir::ParseType(std::string_view text) const {
  const MlirType type = api.mlirTypeParseGet(context, Ref(text));
  if (!type.ptr) ThrowInternal("cannot parse " + std::string(text));
  return type;
}

void Ir::Declare(std::string_view name,
                 const std::vector<MlirNamedAttribute>& attributes) const {
  MlirOperationState state = api.mlirOperationStateGet(
      Ref(name), api.mlirOperationGetLocation(module));
  api.mlirOperationStateAddAttributes(
      &state, static_cast<intptr_t>(attributes.size()), attributes.data());
  const MlirRegion region = api.mlirRegionCreate();
  api.mlirOperationStateAddOwnedRegions(&state, 1, &region);
  const MlirOperation op = api.mlirOperationCreate(&state);
  if (!op.ptr) ThrowInternal("cannot create " + std::string(name));
  const MlirBlock body = Body(module);
  api.mlirBlockInsertOwnedOperationBefore(
      body, api.mlirBlockGetFirstOperation(body), op);
}

std::vector<MlirValue> Ir::Operands(MlirOperation op) const {
  std::vector<MlirValue> operands;
  for (intptr_t i = 0; i < api.mlirOperationGetNumOperands(op); ++i) {
    operands.push_back(api.mlirOperationGetOperand(op, i));
  }
  return operands;
}

std::vector<MlirValue> Ir::Results(MlirOperation op) const {
  std::vector<MlirValue> results;
  for (intptr_t i = 0; i < api.mlirOperationGetNumResults(op); ++i) {
    results.push_back(api.mlirOperationGetResult(op, i));
  }
  return results;
}

std::vector<Use> Ir::Uses(MlirValue value) const {
  std::vector<Use> uses;
  for (MlirOpOperand use = api.mlirValueGetFirstUse(value); use.ptr;
       use = api.mlirOpOperandGetNextUse(use)) {
    uses.push_back({api.mlirOpOperandGetOwner(use),
                    api.mlirOpOperandGetOperandNumber(use)});
  }
  return uses;
}

void Ir::SetUses(const std::vector<Use>& uses, MlirValue value) const {
  for (const Use& use : uses) {
    api.mlirOperationSetOperand(use.user, use.operand, value);
  }
}

std::vector<MlirType> Ir::ResultTypes(MlirOperation op) const {
  std::vector<MlirType> types;
  for (intptr_t i = 0; i < api.mlirOperationGetNumResults(op); ++i) {
    types.push_back(api.mlirValueGetType(api.mlirOperationGetResult(op, i)));
  }
  return types;
}

MlirValue Ir::Barrier(MlirOperation before, MlirValue value) const {
  return api.mlirOperationGetResult(
      CreateBefore(before, "util.optimization_barrier", {value},
                   {api.mlirValueGetType(value)}, {}),
      0);
}

void Ir::PutBehindBarrier(MlirValue result) const {
  const MlirOperation op = api.mlirOpResultGetOwner(result);
  const std::string_view name = Name(op);
  const MlirOperation barrier =
      CreateBefore(api.mlirOperationGetNextInBlock(op),
                   IsVhlo(name) ? "vhlo.optimization_barrier_v1"
                   : name.starts_with("stablehlo.") || name == "func.call"
                       ? "stablehlo.optimization_barrier"
                       : "util.optimization_barrier",
                   {result}, {api.mlirValueGetType(result)}, {});
  api.mlirValueReplaceAllUsesOfWith(result,
                                    api.mlirOperationGetResult(barrier, 0));
  api.mlirOperationSetOperand(barrier, 0, result);
}

void Ir::Replace(MlirOperation op, const std::vector<MlirValue>& values) const {
  for (size_t i = 0; i < values.size(); ++i) {
    api.mlirValueReplaceAllUsesOfWith(
        api.mlirOperationGetResult(op, static_cast<intptr_t>(i)), values[i]);
  }
  api.mlirOperationDestroy(op);
}

}  // namespace iree_pjrt
