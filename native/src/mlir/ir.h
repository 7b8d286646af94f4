// SPDX-License-Identifier: Apache-2.0
// Convenience over the MLIR C API for the rewrites. A value: copied freely,
// valid while the module it looks at is. Not thread-safe, as MLIR is not.
#ifndef IREE_PJRT_MLIR_IR_H_
#define IREE_PJRT_MLIR_IR_H_

#include <string>
#include <string_view>
#include <vector>

#include "mlir/mlir_c.h"

namespace iree_pjrt {

// A use of a value: the operand with this number.
struct Use {
  MlirOperation user;
  unsigned operand;
};

struct Ir {
  const MlirApi& api;
  MlirContext context;
  MlirOperation module;

  std::string_view Name(MlirOperation op) const;
  std::string Print(MlirType type) const;
  std::string Print(MlirAttribute attribute) const;
  std::string Print(MlirOperation op) const;
  // Null if the operation has no such attribute.
  MlirAttribute Attribute(MlirOperation op, std::string_view name) const;
  // The text of a string attribute, in either dialect's form; empty if none.
  std::string StringAttribute(MlirOperation op, std::string_view name) const;

  // Every operation inside the module, before any is changed.
  std::vector<MlirOperation> AllOperations() const;
  // The function of this name at the top of the module, or null.
  MlirOperation Function(std::string_view name) const;

  // The block of an operation with one region of one block, such as a function
  // or a `linalg.generic`; null if it has none.
  MlirBlock Body(MlirOperation op) const;
  // Whether the value is a tensor or memory, not a scalar.
  bool IsArray(MlirValue value) const;
  // What computes the value; null for an argument of a block.
  MlirOperation Definition(MlirValue value) const;
  // The block that the value is an argument or a result in.
  MlirBlock HomeOf(MlirValue value) const;
  // Whether the operation gives a tensor another shape and nothing else.
  bool IsReshape(MlirOperation op) const;
  // The tensor before it was given other shapes.
  MlirValue BeforeReshapes(MlirValue tensor) const;
  // What computes the tensor before it was given other shapes.
  MlirOperation DefinitionBeforeReshapes(MlirValue tensor) const;

  // The operation in the block that is, or holds, the one inside; null if there
  // is none.
  MlirOperation AncestorIn(MlirBlock block, MlirOperation inside) const;

  // In no order; an operation is in it as often as it uses the value.
  std::vector<Use> Uses(MlirValue value) const;
  // These uses, taken before, become uses of `value`.
  void SetUses(const std::vector<Use>& uses, MlirValue value) const;

  // The operation, or the innermost one around it, that has the name; null if
  // there is none.
  MlirOperation Enclosing(MlirOperation op, std::string_view name) const;

  // The blocks of all regions of the operation.
  std::vector<MlirBlock> Blocks(MlirOperation op) const;
  // The operations of the block, before any is changed.
  std::vector<MlirOperation> OperationsOf(MlirBlock block) const;

  // The last operation of a block.
  MlirOperation Terminator(MlirBlock block) const;

  // For operations of it: those that are made before their dialect is there
  // dangle when it comes.
  void LoadDialect(std::string_view name) const;
  // A new operation right before `before`, its regions empty.
  MlirOperation CreateBefore(MlirOperation before, std::string_view name,
                             const std::vector<MlirValue>& operands,
                             const std::vector<MlirType>& results,
                             const std::vector<MlirNamedAttribute>& attributes,
                             intptr_t regions = 0) const;
  // A new operation without regions at the end of a block.
  MlirOperation AppendTo(MlirBlock block, MlirLocation location,
                         std::string_view name,
                         const std::vector<MlirValue>& operands,
                         const std::vector<MlirType>& results = {}) const;
  // A copy of the operation right before `before`.
  MlirOperation CloneBefore(MlirOperation before, MlirOperation op) const;
  MlirNamedAttribute Named(std::string_view name,
                           MlirAttribute attribute) const;
  void SetAttribute(MlirOperation op, std::string_view name,
                    MlirAttribute attribute) const;
  void RemoveAttribute(MlirOperation op, std::string_view name) const;
  // Throws INTERNAL if the text is no attribute.
  MlirAttribute Parse(std::string_view text) const;
  // Throws INTERNAL if the text is no type.
  MlirType ParseType(std::string_view text) const;
  // A new operation that is nowhere; its dialects are loaded. Throws INTERNAL
  // if the text is none.
  MlirOperation ParseOperation(std::string_view text) const;
  // A new operation with an empty region at the top of the module.
  void Declare(std::string_view name,
               const std::vector<MlirNamedAttribute>& attributes) const;

  std::vector<MlirValue> Operands(MlirOperation op) const;
  std::vector<MlirValue> Results(MlirOperation op) const;
  std::vector<MlirType> ResultTypes(MlirOperation op) const;
  // The value from behind a barrier, a use of it that no pass removes. On
  // modules after IREE's input phase.
  MlirValue Barrier(MlirOperation before, MlirValue value) const;
  // Every user of the result gets it from behind a barrier, which IREE does not
  // look through. All users change together: of two names for one value, IREE
  // would let one be written into while the other is still to be read.
  void PutBehindBarrier(MlirValue result) const;
  // Every use of the op's results becomes the given value; the op is destroyed.
  void Replace(MlirOperation op, const std::vector<MlirValue>& values) const;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_IR_H_
