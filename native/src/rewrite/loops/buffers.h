// SPDX-License-Identifier: Apache-2.0
// The memory of arrays in a loop that is one dispatch, and what is done with it
// as a whole.
#ifndef IREE_PJRT_REWRITE_LOOPS_BUFFERS_H_
#define IREE_PJRT_REWRITE_LOOPS_BUFFERS_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "mlir/ir.h"
#include "mlir/scalar_builder.h"

namespace iree_pjrt {

// Why a loop is left as it is. Never leaves the pass.
struct LoopRefused {
  std::string why;
};

using Extents = std::vector<int64_t>;

// A piece of memory in one of its roles: a loop has the memory of what it
// carries in another role than the code around it.
struct Root {
  MlirValue memref;     // row major, of this shape
  std::string element;  // i8 for i1, which IREE does not take apart
  Extents shape;
  // The block in which its contents may be replaced when no one needs them any
  // more; null for memory that is only read.
  MlirBlock home;
  // The tensors that are in it, whole or in part.
  std::vector<MlirValue> names;
};

// A part of a root, maybe of other dimensions.
struct View {
  Root* root;
  Extents shape;
  Extents strides;
  int64_t offset = 0;
  MlirValue added_offset{nullptr};  // index; null for zero

  bool IsWhole() const;
  // `other` is whole.
  bool IsWholeOf(const View& other) const {
    return IsWhole() && root->memref.ptr == other.root->memref.ptr;
  }
};

// Strides of an array that is row major.
Extents RowMajor(const Extents& shape);

// The type of memory of these strides; `offset`: where it begins, or `?`.
MlirType StridedMemory(const Ir& ir, const Extents& shape,
                       const std::string& element, const Extents& strides,
                       const std::string& offset);

class Buffers {
 public:
  // Memory is allocated at the start of the function.
  Buffers(const Ir& ir, MlirOperation function);

  // Of the shape of a tensor. Throws LoopRefused if it is no tensor that
  // can be in memory.
  View Allocate(MlirType tensor, MlirBlock home);
  View Add(MlirValue memref, MlirType tensor, MlirBlock home);
  // The same memory in another role.
  View InAnotherRole(const View& view, MlirBlock home);

  MlirValue Memref(const View& view, MlirOperation before) const;
  void Copy(const View& from, const View& to, MlirOperation before) const;
  // With a scalar, or an array of its shape.
  void Fill(const View& view, MlirValue input, MlirOperation before) const;

  // Elements of bits are loaded and stored as such. `type`: what is wanted.
  MlirValue Load(MlirValue memref, const std::vector<MlirValue>& at,
                 MlirType type, MlirOperation before) const;
  void Store(MlirValue element, MlirValue memref,
             const std::vector<MlirValue>& at, MlirOperation before) const;
  // The element as it is stored.
  MlirValue Stored(MlirValue element, MlirOperation before) const;
  // What is stored as an element of this type.
  MlirValue Element(MlirValue stored, MlirType type,
                    MlirOperation before) const;

  MlirValue Index(int64_t number, MlirOperation before) const;
  // Adds so many steps of `size` elements.
  void Advance(View& view, MlirValue steps, int64_t size,
               MlirOperation before) const;

  MlirOperation start() const { return start_; }
  const std::deque<Root>& roots() const { return roots_; }
  int64_t BytesOf(const Root& root) const;
  // Of all that was allocated.
  int64_t bytes() const { return bytes_; }

 private:
  MlirType TypeOf(const View& view) const;
  ScalarBuilder Indices(MlirOperation before) const;

  const Ir& ir_;
  const MlirOperation start_;
  std::deque<Root> roots_;
  int64_t bytes_ = 0;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_BUFFERS_H_
