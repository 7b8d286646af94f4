// SPDX-License-Identifier: Apache-2.0
#include "rewrite/loops/views.h"

#include "mlir/array_type.h"
#include "mlir/attributes.h"
#include "mlir/slices.h"

namespace iree_pjrt {
namespace {

// The step of a dimension of one element means nothing; here it is what it
// would be in a row-major array.
void NameIdleSteps(View& view) {
  for (size_t i = view.shape.size(); i-- > 0;) {
    if (view.shape[i] != 1) continue;
    const bool last = i + 1 == view.shape.size();
    view.strides[i] = last ? 1 : view.strides[i + 1] * view.shape[i + 1];
  }
}

// Leaves out dimensions of one element until the shape is this one.
void DropTo(View& view, const Extents& shape) {
  View kept{view.root, {}, {}, view.offset, view.added_offset};
  for (size_t i = 0; i < view.shape.size(); ++i) {
    const size_t at = kept.shape.size();
    if (at < shape.size() && view.shape[i] == shape[at]) {
      kept.shape.push_back(view.shape[i]);
      kept.strides.push_back(view.strides[i]);
    } else if (view.shape[i] != 1) {
      break;
    }
  }
  if (kept.shape != shape) throw LoopRefused{"a slice of an unknown form"};
  view = kept;
}

// The dimensions of the larger shape that make up each of the smaller one.
std::vector<Extents> Groups(const Ir& ir, MlirOperation reshape) {
  std::vector<Extents> groups;
  const MlirAttribute attribute = ir.Attribute(reshape, "reassociation");
  for (intptr_t i = 0; i < ir.api.mlirArrayAttrGetNumElements(attribute); ++i) {
    const MlirAttribute list = ir.api.mlirArrayAttrGetElement(attribute, i);
    Extents& group = groups.emplace_back();
    for (intptr_t k = 0; k < ir.api.mlirArrayAttrGetNumElements(list); ++k) {
      group.push_back(ReadInteger(ir, ir.api.mlirArrayAttrGetElement(list, k)));
    }
  }
  return groups;
}

bool Collapse(const std::vector<Extents>& groups, const View& from, View& to) {
  for (const Extents& group : groups) {
    int64_t size = 1;
    int64_t step = 1;
    for (size_t k = group.size(); k-- > 0;) {
      const auto dim = static_cast<size_t>(group[k]);
      if (from.shape[dim] == 1) continue;
      if (size == 1) {
        step = from.strides[dim];
      } else if (from.strides[dim] != step * size) {
        return false;
      }
      size *= from.shape[dim];
    }
    to.shape.push_back(size);
    to.strides.push_back(step);
  }
  return true;
}

void Expand(const std::vector<Extents>& groups, const View& from, View& to) {
  to.strides.assign(to.shape.size(), 1);
  for (size_t i = 0; i < groups.size(); ++i) {
    int64_t step = from.strides[i];
    for (size_t k = groups[i].size(); k-- > 0;) {
      const auto dim = static_cast<size_t>(groups[i][k]);
      to.strides[dim] = step;
      step *= to.shape[dim];
    }
  }
}

}  // namespace

View PartOf(const Ir& ir, const Buffers& buffers, const View& array,
            MlirOperation slice, const Extents& shape) {
  const Extents offsets =
      ReadIntegers(ir, ir.Attribute(slice, "static_offsets"));
  const Extents sizes = ReadIntegers(ir, ir.Attribute(slice, "static_sizes"));
  const Extents steps = ReadIntegers(ir, ir.Attribute(slice, "static_strides"));
  View part = array;
  // In front of the offsets there is the array, or two of them.
  intptr_t operand = ir.Name(slice) == "tensor.insert_slice" ? 2 : 1;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (sizes[i] == kDynamic || steps[i] == kDynamic) {
      throw LoopRefused{"a slice of any size"};
    }
    if (offsets[i] == kDynamic) {
      buffers.Advance(part, ir.api.mlirOperationGetOperand(slice, operand++),
                      array.strides[i], slice);
    } else {
      part.offset += offsets[i] * array.strides[i];
    }
    part.shape[i] = sizes[i];
    part.strides[i] = array.strides[i] * steps[i];
  }
  DropTo(part, shape);
  NameIdleSteps(part);
  return part;
}

std::optional<View> Reshaped(const Ir& ir, const View& array,
                             MlirOperation reshape) {
  View view{array.root, {}, {}, array.offset, array.added_offset};
  const auto groups = Groups(ir, reshape);
  if (ir.Name(reshape) == "tensor.collapse_shape") {
    if (!Collapse(groups, array, view)) return std::nullopt;
  } else {
    view.shape = ArrayTypeOf(ir, ir.Results(reshape).at(0))->shape;
    Expand(groups, array, view);
  }
  NameIdleSteps(view);
  return view;
}

}  // namespace iree_pjrt
