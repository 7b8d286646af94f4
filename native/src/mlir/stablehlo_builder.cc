// SPDX-License-Identifier: Apache-2.0
#include "mlir/stablehlo_builder.h"

#include <algorithm>
#include <numeric>

#include "base/status.h"
#include "mlir/attributes.h"
#include "mlir/stablehlo_names.h"

namespace iree_pjrt {
namespace {

std::string Joined(const Dims& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return text;
}

// `!vhlo.complex_v1<!vhlo.f32_v1>` for `complex<f32>`.
std::string VhloElement(std::string_view element) {
  if (const std::string part = ComplexPart(element); !part.empty()) {
    return "!vhlo.complex_v1<" + VhloElement(part) + ">";
  }
  return "!vhlo." + std::string(element == "i1" ? "bool" : element) + "_v1";
}

std::string_view ZeroOf(std::string_view element) {
  if (element.starts_with("complex")) return "(0.0, 0.0)";
  if (element == "i1") return "false";
  return element.starts_with('i') || element.starts_with('u') ? "0" : "0.0";
}

}  // namespace

Dims UpTo(size_t rank) {
  Dims order(rank);
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

Dims Inverse(const Dims& order) {
  Dims inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    inverse.at(static_cast<size_t>(order[i])) = static_cast<int64_t>(i);
  }
  return inverse;
}

Dims NumbersAt(const Dims& numbers, const Dims& places) {
  Dims some;
  for (const int64_t place : places) {
    some.push_back(numbers.at(static_cast<size_t>(place)));
  }
  return some;
}

MlirAttribute IntegersLike(const Ir& ir, MlirOperation op,
                           const Dims& numbers) {
  if (!IsVhlo(ir.Name(op))) {
    return ir.Parse(numbers.empty() ? "array<i64>"
                                    : "array<i64: " + Joined(numbers) + ">");
  }
  const std::string list = numbers.empty() ? "" : "[" + Joined(numbers) + "]";
  return ir.Parse("#vhlo.tensor_v1<dense<" + list + "> : tensor<" +
                  std::to_string(numbers.size()) + "xi64>>");
}

MlirAttribute PairsLike(const Ir& ir, MlirOperation op, const Dims& first,
                        const Dims& second) {
  std::string pairs;
  for (size_t i = 0; i < first.size(); ++i) {
    pairs +=
        (pairs.empty() ? "[" : ", [") + Joined({first[i], second.at(i)}) + "]";
  }
  const std::string dense = "dense<[" + pairs + "]> : tensor<" +
                            std::to_string(first.size()) + "x2xi64>";
  return ir.Parse(IsVhlo(ir.Name(op)) ? "#vhlo.tensor_v1<" + dense + ">"
                                      : dense);
}

MlirAttribute IntegerLike(const Ir& ir, MlirOperation op, int64_t number) {
  const std::string text = std::to_string(number) + " : i64";
  return ir.Parse(IsVhlo(ir.Name(op)) ? "#vhlo.integer_v1<" + text + ">"
                                      : text);
}

StablehloBuilder::StablehloBuilder(const Ir& ir, MlirOperation before,
                                   MlirOperation like)
    : ir_(ir),
      before_(before),
      like_(like.ptr ? like : before),
      vhlo_(IsVhlo(ir.Name(like_))) {}

ArrayType StablehloBuilder::TypeOf(MlirValue array) const {
  auto type = ArrayTypeOf(ir_, array);
  if (!type) {
    ThrowUnimplemented(
        std::string(ir_.Name(like_)) +
        " of an array whose shape is known only when the program runs: " +
        ir_.Print(ir_.api.mlirValueGetType(array)));
  }
  return *std::move(type);
}

MlirType StablehloBuilder::Type(const Dims& shape,
                                std::string_view element) const {
  const ArrayType type{
      vhlo_ ? "!vhlo.tensor_v1<" : "tensor<", shape,
      (vhlo_ ? VhloElement(element) : std::string(element)) + ">"};
  return ir_.ParseType(type.Reshaped(shape));
}

MlirType StablehloBuilder::Reshaped(MlirValue array, const Dims& shape) const {
  return ir_.ParseType(TypeOf(array).Reshaped(shape));
}

MlirNamedAttribute StablehloBuilder::Integers(const char* name,
                                              const Dims& numbers) const {
  return ir_.Named(name, IntegersLike(ir_, like_, numbers));
}

MlirNamedAttribute StablehloBuilder::Integer(const char* name,
                                             int64_t number) const {
  return ir_.Named(name, IntegerLike(ir_, like_, number));
}

MlirValue StablehloBuilder::Make(
    std::string_view name, const std::vector<MlirValue>& operands,
    MlirType type, const std::vector<MlirNamedAttribute>& attributes) const {
  const MlirOperation made =
      ir_.CreateBefore(before_, StablehloNameLike(ir_.Name(like_), name),
                       operands, {type}, attributes);
  return ir_.api.mlirOperationGetResult(made, 0);
}

MlirValue StablehloBuilder::Constant(MlirType type,
                                     const std::string& numbers) const {
  const std::string dense =
      "dense<" + numbers + "> : " + WithoutVhlo(ir_.Print(type));
  const MlirAttribute value =
      ir_.Parse(vhlo_ ? "#vhlo.tensor_v1<" + dense + ">" : dense);
  return Make("constant", {}, type, {ir_.Named("value", value)});
}

MlirValue StablehloBuilder::Splat(MlirType type,
                                  std::string_view number) const {
  return Constant(type, std::string(number));
}

MlirValue StablehloBuilder::Splat(const Dims& shape, std::string_view element,
                                  int64_t number) const {
  return Constant(Type(shape, element), std::to_string(number));
}

MlirValue StablehloBuilder::Zeros(MlirValue array) const {
  return Splat(ir_.api.mlirValueGetType(array), ZeroOf(ElementOf(array)));
}

MlirValue StablehloBuilder::Integers(std::string_view element,
                                     const Dims& numbers) const {
  return Constant(Type({static_cast<int64_t>(numbers.size())}, element),
                  "[" + Joined(numbers) + "]");
}

MlirValue StablehloBuilder::Iota(const Dims& shape, std::string_view element,
                                 int64_t dimension) const {
  return Make("iota", {}, Type(shape, element),
              {Integer("iota_dimension", dimension)});
}

MlirValue StablehloBuilder::Reshape(MlirValue array, const Dims& shape) const {
  if (ShapeOf(array) == shape) return array;
  return Make("reshape", {array}, Reshaped(array, shape));
}

MlirValue StablehloBuilder::Broadcast(MlirValue array, const Dims& shape,
                                      const Dims& along) const {
  return Make("broadcast_in_dim", {array}, Reshaped(array, shape),
              {Integers("broadcast_dimensions", along)});
}

MlirValue StablehloBuilder::Transpose(MlirValue array,
                                      const Dims& permutation) const {
  if (std::ranges::is_sorted(permutation)) return array;
  const Dims shape = NumbersAt(ShapeOf(array), permutation);
  const MlirOperation source = ir_.Definition(array);
  if (source.ptr && StablehloName(ir_.Name(source)) == "broadcast_in_dim") {
    // One number everywhere is the same, turned: no constant to be copied.
    const MlirValue number = ir_.api.mlirOperationGetOperand(source, 0);
    if (ShapeOf(number).empty()) return Broadcast(number, shape, {});
  }
  return Make("transpose", {array}, Reshaped(array, shape),
              {Integers("permutation", permutation)});
}

MlirValue StablehloBuilder::Convert(MlirValue array,
                                    std::string_view element) const {
  return Make("convert", {array}, Type(ShapeOf(array), element));
}

MlirValue StablehloBuilder::Slice(MlirValue array, const Dims& begin,
                                  const Dims& end, const Dims& strides) const {
  Dims shape;
  for (size_t d = 0; d < end.size(); ++d) {
    const int64_t span = end[d] - begin.at(d);
    shape.push_back((span + strides.at(d) - 1) / strides.at(d));
  }
  if (shape == ShapeOf(array)) return array;
  return Make("slice", {array}, Reshaped(array, shape),
              {Integers("limit_indices", end), Integers("start_indices", begin),
               Integers("strides", strides)});
}

MlirValue StablehloBuilder::Pad(MlirValue array, MlirValue fill,
                                const Dims& low, const Dims& high,
                                const Dims& interior) const {
  const Dims from = ShapeOf(array);
  Dims shape = from;
  for (size_t d = 0; d < shape.size(); ++d) {
    shape[d] += low.at(d) + high.at(d) +
                interior.at(d) * std::max<int64_t>(shape[d] - 1, 0);
  }
  if (shape == from && low == Dims(low.size(), 0)) return array;
  return Make(
      "pad", {array, fill}, Reshaped(array, shape),
      {Integers("edge_padding_high", high), Integers("edge_padding_low", low),
       Integers("interior_padding", interior)});
}

MlirValue StablehloBuilder::Pad(MlirValue array, const Dims& low,
                                const Dims& high) const {
  const std::string element = ElementOf(array);
  const MlirValue zero = Splat(Type({}, element), ZeroOf(element));
  return Pad(array, zero, low, high, Dims(low.size(), 0));
}

MlirValue StablehloBuilder::DynamicSlice(MlirValue array,
                                         const std::vector<MlirValue>& starts,
                                         const Dims& sizes) const {
  std::vector<MlirValue> operands = {array};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Make("dynamic_slice", operands, Reshaped(array, sizes),
              {Integers("slice_sizes", sizes)});
}

MlirValue StablehloBuilder::DynamicUpdateSlice(
    MlirValue array, MlirValue part,
    const std::vector<MlirValue>& starts) const {
  std::vector<MlirValue> operands = {array, part};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Make("dynamic_update_slice", operands,
              ir_.api.mlirValueGetType(array));
}

MlirValue StablehloBuilder::Concatenate(const std::vector<MlirValue>& arrays,
                                        int64_t dimension) const {
  if (arrays.size() == 1) return arrays[0];
  const auto d = static_cast<size_t>(dimension);
  Dims shape = ShapeOf(arrays.at(0));
  for (size_t i = 1; i < arrays.size(); ++i) {
    shape.at(d) += ShapeOf(arrays[i]).at(d);
  }
  return Make("concatenate", arrays, Reshaped(arrays[0], shape),
              {Integer("dimension", dimension)});
}

MlirValue StablehloBuilder::Product(MlirValue lhs, MlirValue rhs,
                                    const ProductDimensions& dimensions,
                                    std::string_view element) const {
  Dims shape;
  const auto add = [&](MlirValue side, const Dims& batching,
                       const Dims& contracting) {
    const Dims sizes = ShapeOf(side);
    for (const int64_t d : UpTo(sizes.size())) {
      if (!IsIn(batching, d) && !IsIn(contracting, d)) {
        shape.push_back(sizes.at(d));
      }
    }
  };
  for (const int64_t d : dimensions.lhs_batching) {
    shape.push_back(ShapeOf(lhs).at(static_cast<size_t>(d)));
  }
  add(lhs, dimensions.lhs_batching, dimensions.lhs_contracting);
  add(rhs, dimensions.rhs_batching, dimensions.rhs_contracting);
  std::vector<MlirNamedAttribute> attributes =
      ProductAttributes(ir_, like_, dimensions);
  constexpr char kPrecision[] = "precision_config";
  if (const auto precision = ir_.Attribute(like_, kPrecision); precision.ptr) {
    attributes.push_back(ir_.Named(kPrecision, precision));
  }
  return Make("dot_general", {lhs, rhs}, Type(shape, element), attributes);
}

MlirValue StablehloBuilder::Clamp(MlirValue least, MlirValue array,
                                  MlirValue most) const {
  return Make("clamp", {least, array, most}, ir_.api.mlirValueGetType(array));
}

MlirValue StablehloBuilder::BitcastConvert(MlirValue array,
                                           std::string_view element) const {
  return Make("bitcast_convert", {array}, Type(ShapeOf(array), element));
}

MlirValue StablehloBuilder::Compare(std::string_view direction, MlirValue a,
                                    MlirValue b) const {
  const std::string prefix =
      vhlo_ ? "#vhlo<comparison_" : "#stablehlo<comparison_";
  const std::string version = vhlo_ ? "_v1 " : " ";
  const std::string way =
      prefix + "direction" + version + std::string(direction) + ">";
  const bool floats = HasFloats(ElementOf(a));
  const std::string type = floats ? "FLOAT>" : "SIGNED>";
  return Make(
      "compare", {a, b}, Type(ShapeOf(a), "i1"),
      {ir_.Named("comparison_direction", ir_.Parse(way)),
       ir_.Named("compare_type", ir_.Parse(prefix + "type" + version + type))});
}

MlirValue StablehloBuilder::Select(MlirValue mask, MlirValue yes,
                                   MlirValue no) const {
  return Make("select", {mask, yes, no}, ir_.api.mlirValueGetType(yes));
}

MlirValue StablehloBuilder::Barrier(MlirValue array) const {
  return Make("optimization_barrier", {array}, ir_.api.mlirValueGetType(array));
}

MlirValue StablehloBuilder::Part(std::string_view name, MlirValue array) const {
  return Make(name, {array},
              Type(ShapeOf(array), ComplexPart(ElementOf(array))));
}

MlirValue StablehloBuilder::Complex(MlirValue real, MlirValue imaginary) const {
  return Make("complex", {real, imaginary},
              Type(ShapeOf(real), "complex<" + ElementOf(real) + ">"));
}

MlirValue StablehloBuilder::Apply(
    std::string_view name, const std::vector<MlirValue>& operands) const {
  return Make(name, operands, ir_.api.mlirValueGetType(operands.at(0)));
}

MlirOperation StablehloBuilder::MakeLike(
    MlirOperation op, intptr_t region, intptr_t result, std::string_view name,
    const std::vector<MlirValue>& operands, const Dims& shape,
    const std::vector<MlirNamedAttribute>& attributes) const {
  const MlirApi& api = ir_.api;
  const MlirOperation copy = api.mlirOperationClone(op);
  const MlirRegion body = api.mlirOperationGetRegion(copy, region);
  const MlirOperation end = ir_.Terminator(api.mlirRegionGetFirstBlock(body));
  const MlirValue taken = api.mlirOperationGetOperand(end, result);
  ir_.CreateBefore(end, ir_.Name(end), {taken}, {}, {});
  api.mlirOperationDestroy(end);
  const MlirOperation made =
      ir_.CreateBefore(before_, StablehloNameLike(ir_.Name(like_), name),
                       operands, {Reshaped(taken, shape)}, attributes, 1);
  api.mlirRegionTakeBody(api.mlirOperationGetRegion(made, 0), body);
  api.mlirOperationDestroy(copy);
  return made;
}

MlirValue StablehloBuilder::Map(MlirOperation op, intptr_t region,
                                intptr_t result,
                                const std::vector<MlirValue>& operands) const {
  const Dims shape = ShapeOf(operands.at(0));
  const MlirOperation map =
      MakeLike(op, region, result, "map", operands, shape,
               {Integers("dimensions", UpTo(shape.size()))});
  return ir_.api.mlirOperationGetResult(map, 0);
}

MlirValue StablehloBuilder::Sum(MlirValue array, const Dims& dimensions) const {
  return Sums({array}, dimensions)[0];
}

MlirValue StablehloBuilder::Extreme(std::string_view name, MlirValue array,
                                    MlirValue start,
                                    const Dims& dimensions) const {
  return Reduce(name, {array}, start, dimensions)[0];
}

std::vector<MlirValue> StablehloBuilder::Sums(
    const std::vector<MlirValue>& arrays, const Dims& dimensions) const {
  const MlirType scalar = Reshaped(arrays.at(0), {});
  return Reduce("add", arrays, Splat(scalar, ZeroOf(ElementOf(arrays[0]))),
                dimensions);
}

std::vector<MlirValue> StablehloBuilder::Reduce(
    std::string_view name, const std::vector<MlirValue>& arrays,
    MlirValue start, const Dims& dimensions) const {
  const MlirApi& api = ir_.api;
  const Dims from = ShapeOf(arrays.at(0));
  Dims shape;
  for (size_t d = 0; d < from.size(); ++d) {
    if (std::ranges::find(dimensions, static_cast<int64_t>(d)) ==
        dimensions.end()) {
      shape.push_back(from[d]);
    }
  }
  const MlirType scalar = Reshaped(arrays[0], {});
  std::vector<MlirValue> operands = arrays;
  operands.resize(2 * arrays.size(), start);
  const MlirOperation reduce = ir_.CreateBefore(
      before_, StablehloNameLike(ir_.Name(like_), "reduce"), operands,
      std::vector(arrays.size(), Reshaped(arrays[0], shape)),
      {Integers("dimensions", dimensions)}, 1);
  const std::vector<MlirType> types(operands.size(), scalar);
  const std::vector<MlirLocation> locations(
      operands.size(), api.mlirOperationGetLocation(before_));
  const MlirBlock block = api.mlirBlockCreate(
      static_cast<intptr_t>(types.size()), types.data(), locations.data());
  api.mlirRegionAppendOwnedBlock(api.mlirOperationGetRegion(reduce, 0), block);
  const auto append = [&](std::string_view appended,
                          const std::vector<MlirValue>& of,
                          const std::vector<MlirType>& results) {
    const MlirOperation op = ir_.CreateBefore(
        before_, StablehloNameLike(ir_.Name(like_), appended), of, results, {});
    api.mlirOperationRemoveFromParent(op);
    api.mlirBlockAppendOwnedOperation(block, op);
    return op;
  };
  std::vector<MlirValue> reduced;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const auto argument = [&](size_t number) {
      return api.mlirBlockGetArgument(block, static_cast<intptr_t>(number));
    };
    const MlirOperation op =
        append(name, {argument(i), argument(i + arrays.size())}, {scalar});
    reduced.push_back(api.mlirOperationGetResult(op, 0));
  }
  append("return", reduced, {});
  return ir_.Results(reduce);
}

MlirOperation StablehloBuilder::ForeignCall(
    std::string_view target, const std::vector<MlirValue>& operands,
    const std::vector<MlirType>& results, std::string_view attributes) const {
  const std::string name = "\"" + std::string(target) + "\"";
  return ir_.CreateBefore(
      before_, StablehloNameLike(ir_.Name(like_), "custom_call"), operands,
      results,
      {ir_.Named("call_target_name",
                 ir_.Parse(vhlo_ ? "#vhlo.string_v1<" + name + ">" : name)),
       ir_.Named("mhlo.backend_config", ir_.Parse(std::string(attributes)))});
}

MlirValue StablehloBuilder::ScatterElements(MlirOperation op, intptr_t region,
                                            MlirValue array, MlirValue indices,
                                            MlirValue updates) const {
  const MlirAttribute no = ir_.Parse(vhlo_ ? "#vhlo.bool_v1<false>" : "false");
  std::vector<MlirNamedAttribute> attributes = {
      ir_.Named("indices_are_sorted", no), ir_.Named("unique_indices", no)};
  if (vhlo_) {
    for (const char* name :
         {"inserted_window_dims", "scatter_dims_to_operand_dims"}) {
      attributes.push_back(Integers(name, {0}));
    }
    attributes.push_back(Integers("update_window_dims", {}));
    attributes.push_back(Integer("index_vector_dim", 1));
  } else {
    attributes.push_back(ir_.Named(
        "scatter_dimension_numbers",
        ir_.Parse(
            "#stablehlo.scatter<inserted_window_dims = [0], "
            "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>")));
  }
  const MlirOperation scatter =
      MakeLike(op, region, 0, "scatter", {array, indices, updates},
               ShapeOf(array), attributes);
  return ir_.api.mlirOperationGetResult(scatter, 0);
}

}  // namespace iree_pjrt
