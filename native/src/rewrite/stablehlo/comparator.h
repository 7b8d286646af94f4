// SPDX-License-Identifier: Apache-2.0
// What the comparator of a sort compares: the region of `sort` gets a left and
// a right element of each operand, and says whether the left ones come first.
#ifndef IREE_PJRT_REWRITE_STABLEHLO_COMPARATOR_H_
#define IREE_PJRT_REWRITE_STABLEHLO_COMPARATOR_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

// Lines of this many elements IREE itself sorts as fast as anything does.
inline constexpr int64_t kShortLine = 16;

// A function of the left elements; the same one of the right elements is
// compared with it.
struct ComparedKey {
  MlirValue value;
  bool descending = false;
  std::string type;  // of the comparison, such as `TOTALORDER`
};

// Lives shorter than the Ir that it is made from.
class Comparator {
 public:
  Comparator(const Ir& ir, MlirBlock body) : ir_(ir), body_(body) {}

  // The keys of a lexicographic order, the first one first. Empty if the
  // comparator is none: then it may be any function.
  std::vector<ComparedKey> Keys();

  // The number of the operand whose left element the value is.
  std::optional<size_t> OperandOf(MlirValue value) const;
  // Whether the value depends on no element.
  bool IsConstant(MlirValue value) { return SidesOf(value) == 0; }
  // x, where the value is x with zeros of one sign and NaNs of one kind; else
  // null.
  MlirValue UnifiedOf(MlirValue value);

 private:
  bool IsArgument(MlirValue value) const;
  // A sum of 1, if the value depends on left elements, and 2, if on right ones.
  int SidesOf(MlirValue value);
  // Whether the values are computed alike; from left elements in the place of
  // right ones, and the other way, if `mirrored`.
  bool AreAlike(MlirValue a, MlirValue b, bool mirrored);
  bool AreAlike(MlirOperation a, MlirOperation b, bool mirrored);

  bool AppendKeys(MlirValue before, std::vector<ComparedKey>& keys);
  std::optional<ComparedKey> KeyOf(MlirValue before);
  // Whether the value says that this key is equal; if `inverted`, that it is
  // not.
  bool IsTie(MlirValue value, const ComparedKey& key, bool inverted);
  bool AppendRest(MlirValue first, MlirValue tie, MlirValue rest, bool inverted,
                  std::vector<ComparedKey>& keys);

  // A comparison of this direction, or null.
  MlirOperation Comparison(MlirValue value, std::string_view direction) const;
  MlirValue Operand(MlirOperation op, intptr_t i) const;
  bool IsNumber(MlirValue value, std::string_view prefix) const;

  const Ir& ir_;
  const MlirBlock body_;
  std::map<const void*, int> sides_;
  std::map<std::pair<const void*, const void*>, bool> alike_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_STABLEHLO_COMPARATOR_H_
