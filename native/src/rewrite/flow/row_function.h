// SPDX-License-Identifier: Apache-2.0
// The function of a dispatch that computes each row of its arrays by itself:
// reductions along rows, and what is computed of them element by element.
#ifndef IREE_PJRT_REWRITE_FLOW_ROW_FUNCTION_H_
#define IREE_PJRT_REWRITE_FLOW_ROW_FUNCTION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// Of a `flow.executable` with one function of whole tensors of static shapes.
class RowFunction {
 public:
  // Nothing for an executable of another kind.
  static std::optional<RowFunction> Read(const Ir& ir,
                                         MlirOperation executable);

  MlirOperation executable() const { return executable_; }
  MlirOperation function() const { return function_; }
  // How many of the first dimensions count rows; 0 if nothing is reduced.
  int64_t row_dimensions() const { return row_dimensions_; }
  // Of the arrays that have elements for each row: rows, elements of a row.
  const std::vector<int64_t>& shape() const { return shape_; }

  // Whether it computes each of so many dimensions' rows by itself.
  bool GoesByRows(int64_t row_dimensions) const;
  // Whether it reads of what it loads from this argument nothing but elements
  // of the row that it computes, or the one of the row.
  bool ReadsByRows(size_t argument, int64_t row_dimensions) const;

  // What an argument is loaded as, or stored into it; null for the others.
  MlirOperation AccessOf(size_t argument) const;

 private:
  RowFunction(const Ir& ir, MlirOperation executable, MlirOperation function)
      : ir_(ir), executable_(executable), function_(function) {}

  bool ReadOperations();
  bool ReadGeneric(MlirOperation op);
  bool GoesByRows(MlirOperation op, int64_t row_dimensions) const;

  const Ir& ir_;
  MlirOperation executable_;
  MlirOperation function_;
  std::vector<MlirOperation> generics_;
  std::vector<MlirOperation> accesses_;
  std::vector<int64_t> shape_;
  int64_t row_dimensions_ = 0;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_FLOW_ROW_FUNCTION_H_
