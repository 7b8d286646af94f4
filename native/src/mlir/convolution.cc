// SPDX-License-Identifier: Apache-2.0
#include "mlir/convolution.h"

#include <numeric>
#include <string>
#include <string_view>

#include "mlir/attributes.h"

namespace iree_pjrt {
namespace {

constexpr char kWhole[] = "dimension_numbers";  // StableHLO's attribute

// VHLO's attributes, in that order.
constexpr std::string_view kInput[] = {"input_batch_dimension",
                                       "input_spatial_dimensions",
                                       "input_feature_dimension"};
constexpr std::string_view kKernel[] = {"kernel_spatial_dimensions",
                                        "kernel_input_feature_dimension",
                                        "kernel_output_feature_dimension"};
constexpr std::string_view kOutput[] = {"output_batch_dimension",
                                        "output_spatial_dimensions",
                                        "output_feature_dimension"};

bool IsList(std::string_view name) { return name.ends_with("dimensions"); }

Dims ReadParts(const Ir& ir, MlirOperation op,
               const std::string_view (&names)[3]) {
  Dims dims;
  for (const std::string_view name : names) {
    const MlirAttribute attribute = BuiltinAttribute(ir, op, name);
    if (IsList(name)) {
      const Dims space = ReadIntegers(ir, attribute);
      dims.insert(dims.end(), space.begin(), space.end());
    } else {
      dims.push_back(ReadInteger(ir, attribute));
    }
  }
  return dims;
}

void WriteParts(const Ir& ir, MlirOperation op,
                const std::string_view (&names)[3], size_t rank) {
  int64_t next = 0;
  for (const std::string_view name : names) {
    if (IsList(name)) {
      Dims space(rank - 2);
      std::iota(space.begin(), space.end(), next);
      next += static_cast<int64_t>(space.size());
      ir.SetAttribute(op, name, IntegersLike(ir, op, space));
    } else {
      ir.SetAttribute(op, name, IntegerLike(ir, op, next++));
    }
  }
}

// `names`: what the dimensions are called, as `b01f`; `text`: `[b, f, 0, 1]`.
Dims ReadList(std::string_view text, std::string_view names) {
  Dims dims;
  for (const char name : names) {
    int64_t at = 0;
    for (const char c : text) {
      if (c == name) dims.push_back(at);
      if (c == ',') ++at;
    }
  }
  return dims;
}

// `0, 1` or `01`
std::string Space(size_t rank, std::string_view between) {
  std::string text;
  for (size_t i = 0; i + 2 < rank; ++i) {
    text += (i > 0 ? std::string(between) : "") + std::to_string(i);
  }
  return text;
}

}  // namespace

ConvolutionDims ReadConvolution(const Ir& ir, MlirOperation op, size_t rank) {
  const MlirAttribute whole = ir.Attribute(op, kWhole);
  if (!whole.ptr) {
    return {ReadParts(ir, op, kInput), ReadParts(ir, op, kKernel),
            ReadParts(ir, op, kOutput)};
  }
  // `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`
  const std::string printed = ir.Print(whole);
  std::string_view text = printed;
  const auto list = [&](const std::string& names) {
    const size_t begin = text.find('[');
    const size_t end = text.find(']');
    const Dims dims = ReadList(text.substr(begin, end - begin), names);
    text.remove_prefix(end + 1);
    return dims;
  };
  const std::string space = Space(rank, "");
  const Dims input = list("b" + space + "f");
  const Dims kernel = list(space + "io");
  return {input, kernel, list("b" + space + "f")};
}

void WriteOrderedConvolution(const Ir& ir, MlirOperation op, size_t rank) {
  if (!ir.Attribute(op, kWhole).ptr) {
    WriteParts(ir, op, kInput, rank);
    WriteParts(ir, op, kKernel, rank);
    WriteParts(ir, op, kOutput, rank);
    return;
  }
  const std::string space = Space(rank, ", ");
  const std::string separated = space.empty() ? "" : space + ", ";
  const std::string image = "[b, " + separated + "f]";
  ir.SetAttribute(op, kWhole,
                  ir.Parse("#stablehlo.conv<" + image + "x[" + separated +
                           "i, o]->" + image + ">"));
}

bool IsPlainConvolution(const Ir& ir, MlirOperation op) {
  for (const char* groups : {"feature_group_count", "batch_group_count"}) {
    const MlirAttribute count = BuiltinAttribute(ir, op, groups);
    if (count.ptr && ReadInteger(ir, count) != 1) return false;
  }
  const MlirAttribute reversal = BuiltinAttribute(ir, op, "window_reversal");
  return !reversal.ptr || ir.Print(reversal).find("true") == std::string::npos;
}

}  // namespace iree_pjrt
