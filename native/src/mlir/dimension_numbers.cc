// SPDX-License-Identifier: Apache-2.0
#include "mlir/dimension_numbers.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "base/status.h"
#include "mlir/attributes.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"

namespace iree_pjrt {
namespace {

constexpr char kVector[] = "index_vector_dim";

struct List {
  std::vector<int64_t> DimensionNumbers::* member;
  const char* of_scatter;
  const char* of_gather;
};
constexpr List kLists[] = {
    {&DimensionNumbers::window, "update_window_dims", "offset_dims"},
    {&DimensionNumbers::inserted, "inserted_window_dims",
     "collapsed_slice_dims"},
    {&DimensionNumbers::batching, "input_batching_dims",
     "operand_batching_dims"},
    {&DimensionNumbers::indices_batching, "scatter_indices_batching_dims",
     "start_indices_batching_dims"},
    {&DimensionNumbers::indexed, "scatter_dims_to_operand_dims",
     "start_index_map"},
};

constexpr char kOfProduct[] = "dot_dimension_numbers";

struct ProductList {
  std::vector<int64_t> ProductDimensions::* member;
  const char* name;
};
constexpr ProductList kProductLists[] = {
    {&ProductDimensions::lhs_batching, "lhs_batching_dimensions"},
    {&ProductDimensions::rhs_batching, "rhs_batching_dimensions"},
    {&ProductDimensions::lhs_contracting, "lhs_contracting_dimensions"},
    {&ProductDimensions::rhs_contracting, "rhs_contracting_dimensions"},
};

bool IsScatter(const Ir& ir, MlirOperation op) {
  return StablehloName(ir.Name(op)) == "scatter";
}

const char* NameOf(const List& list, bool scatter) {
  return scatter ? list.of_scatter : list.of_gather;
}

// The name of the one attribute that holds all numbers in StableHLO; null for
// VHLO, which has an attribute for each.
const char* WholeName(const Ir& ir, MlirOperation op) {
  if (IsVhlo(ir.Name(op))) return nullptr;
  return IsScatter(ir, op) ? "scatter_dimension_numbers" : "dimension_numbers";
}

// The text behind `name = `; empty if the name is not there, which stands for
// an empty list.
std::string_view After(std::string_view text, std::string_view name) {
  const std::string key = std::string(name) + " = ";
  for (size_t at = 0; (at = text.find(key, at)) != std::string_view::npos;
       ++at) {
    if (at > 0 && (text[at - 1] == '<' || text[at - 1] == ' ')) {
      return text.substr(at + key.size());
    }
  }
  return {};
}

int64_t Number(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// `[1, 2], ...`
std::vector<int64_t> Numbers(std::string_view text) {
  std::vector<int64_t> numbers;
  text = text.substr(0, text.find(']'));
  for (size_t at = text.find_first_of("0123456789");
       at != std::string_view::npos; at = text.find_first_of("0123456789")) {
    text.remove_prefix(at);
    numbers.push_back(Number(text));
    const size_t end = text.find_first_not_of("0123456789");
    if (end == std::string_view::npos) break;
    text.remove_prefix(end);
  }
  return numbers;
}

DimensionNumbers ReadWhole(const std::string& text, bool scatter) {
  DimensionNumbers numbers;
  for (const List& list : kLists) {
    numbers.*list.member = Numbers(After(text, NameOf(list, scatter)));
  }
  numbers.vector = Number(After(text, kVector));
  return numbers;
}

DimensionNumbers ReadParts(const Ir& ir, MlirOperation op) {
  DimensionNumbers numbers;
  for (const List& list : kLists) {
    const MlirAttribute attribute =
        BuiltinAttribute(ir, op, NameOf(list, IsScatter(ir, op)));
    // Version 1 of both operations has no attributes for batching.
    if (attribute.ptr) numbers.*list.member = ReadIntegers(ir, attribute);
  }
  numbers.vector = ReadInteger(ir, BuiltinAttribute(ir, op, kVector));
  return numbers;
}

std::string Bracketed(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return "[" + text + "]";
}

}  // namespace

bool IsIn(const std::vector<int64_t>& dimensions, int64_t dimension) {
  return std::find(dimensions.begin(), dimensions.end(), dimension) !=
         dimensions.end();
}

DimensionNumbers ReadDimensionNumbers(const Ir& ir, MlirOperation op) {
  const char* const whole = WholeName(ir, op);
  if (!whole) return ReadParts(ir, op);
  const MlirAttribute attribute = ir.Attribute(op, whole);
  if (!attribute.ptr) {
    ThrowInvalidArgument(std::string(ir.Name(op)) + " without " + whole);
  }
  return ReadWhole(ir.Print(attribute), IsScatter(ir, op));
}

void WriteDimensionNumbers(const Ir& ir, MlirOperation op,
                           const DimensionNumbers& numbers) {
  const bool scatter = IsScatter(ir, op);
  if (const char* const whole = WholeName(ir, op)) {
    std::string text = scatter ? "#stablehlo.scatter<" : "#stablehlo.gather<";
    for (const List& list : kLists) {
      if ((numbers.*list.member).empty()) continue;
      text += std::string(NameOf(list, scatter)) + " = " +
              Bracketed(numbers.*list.member) + ", ";
    }
    text += std::string(kVector) + " = " + std::to_string(numbers.vector) + ">";
    ir.SetAttribute(op, whole, ir.Parse(text));
    return;
  }
  for (const List& list : kLists) {
    const char* const name = NameOf(list, scatter);
    if (!ir.Attribute(op, name).ptr) continue;
    ir.SetAttribute(op, name, IntegersLike(ir, op, numbers.*list.member));
  }
  ir.SetAttribute(op, kVector, IntegerLike(ir, op, numbers.vector));
}

std::vector<int64_t> FreeDimensions(size_t rank,
                                    const std::vector<int64_t>& batching,
                                    const std::vector<int64_t>& contracting) {
  std::vector<int64_t> found;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
    if (!IsIn(batching, d) && !IsIn(contracting, d)) found.push_back(d);
  }
  return found;
}

ProductDimensions ReadProductDimensions(const Ir& ir, MlirOperation op) {
  const MlirAttribute whole = ir.Attribute(op, kOfProduct);
  const std::string text = whole.ptr ? ir.Print(whole) : std::string();
  ProductDimensions dimensions;
  for (const auto& [member, name] : kProductLists) {
    dimensions.*member = whole.ptr
                             ? Numbers(After(text, name))
                             : ReadIntegers(ir, BuiltinAttribute(ir, op, name));
  }
  return dimensions;
}

std::vector<MlirNamedAttribute> ProductAttributes(
    const Ir& ir, MlirOperation like, const ProductDimensions& dimensions) {
  std::vector<MlirNamedAttribute> attributes;
  std::string whole;
  for (const auto& [member, name] : kProductLists) {
    const std::vector<int64_t>& numbers = dimensions.*member;
    if (IsVhlo(ir.Name(like))) {
      attributes.push_back(ir.Named(name, IntegersLike(ir, like, numbers)));
    } else if (!numbers.empty()) {
      whole += (whole.empty() ? "" : ", ") + std::string(name) + " = " +
               Bracketed(numbers);
    }
  }
  if (attributes.empty()) {
    attributes.push_back(
        ir.Named(kOfProduct, ir.Parse("#stablehlo.dot<" + whole + ">")));
  }
  return attributes;
}

void WriteProductDimensions(const Ir& ir, MlirOperation op,
                            const ProductDimensions& dimensions) {
  for (const auto& [key, value] : ProductAttributes(ir, op, dimensions)) {
    const MlirStringRef name = ir.api.mlirIdentifierStr(key);
    ir.SetAttribute(op, {name.data, name.length}, value);
  }
}

}  // namespace iree_pjrt
