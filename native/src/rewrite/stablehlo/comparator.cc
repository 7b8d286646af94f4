// SPDX-License-Identifier: Apache-2.0
#include "rewrite/stablehlo/comparator.h"

#include "mlir/attributes.h"
#include "mlir/stablehlo_names.h"

namespace iree_pjrt {
namespace {

std::string WordOf(const Ir& ir, MlirOperation op, std::string_view name) {
  return ReadWord(ir, ir.Attribute(op, name));
}

}  // namespace

std::vector<ComparedKey> Comparator::Keys() {
  std::vector<ComparedKey> keys;
  const MlirOperation end = ir_.Terminator(body_);
  if (!AppendKeys(Operand(end, 0), keys)) keys.clear();
  return keys;
}

std::optional<size_t> Comparator::OperandOf(MlirValue value) const {
  if (!IsArgument(value)) return std::nullopt;
  const auto number =
      static_cast<size_t>(ir_.api.mlirBlockArgumentGetArgNumber(value));
  return number % 2 == 0 ? std::optional(number / 2) : std::nullopt;
}

bool Comparator::IsArgument(MlirValue value) const {
  return !ir_.Definition(value).ptr && ir_.HomeOf(value).ptr == body_.ptr;
}

MlirValue Comparator::Operand(MlirOperation op, intptr_t i) const {
  return ir_.api.mlirOperationGetOperand(op, i);
}

int Comparator::SidesOf(MlirValue value) {
  if (ir_.HomeOf(value).ptr != body_.ptr) return 0;
  if (IsArgument(value)) return OperandOf(value) ? 1 : 2;
  const auto [known, is_new] = sides_.emplace(value.ptr, 0);
  if (is_new) {
    int sides = 0;
    for (const MlirValue operand : ir_.Operands(ir_.Definition(value))) {
      sides |= SidesOf(operand);
    }
    known->second = sides;
  }
  return known->second;
}

bool Comparator::AreAlike(MlirValue a, MlirValue b, bool mirrored) {
  if (ir_.HomeOf(a).ptr != body_.ptr || ir_.HomeOf(b).ptr != body_.ptr) {
    return a.ptr == b.ptr;
  }
  if (IsArgument(a) || IsArgument(b)) {
    return IsArgument(a) && IsArgument(b) &&
           (ir_.api.mlirBlockArgumentGetArgNumber(a) ^ (mirrored ? 1 : 0)) ==
               ir_.api.mlirBlockArgumentGetArgNumber(b);
  }
  // Each pair once: what is used often is not looked at again.
  const auto found = alike_.find({a.ptr, b.ptr});
  if (found != alike_.end() && found->second == mirrored) return true;
  if (!AreAlike(ir_.Definition(a), ir_.Definition(b), mirrored)) return false;
  alike_[{a.ptr, b.ptr}] = mirrored;
  return true;
}

bool Comparator::AreAlike(MlirOperation a, MlirOperation b, bool mirrored) {
  const auto& api = ir_.api;
  const intptr_t attributes = api.mlirOperationGetNumAttributes(a);
  const intptr_t operands = api.mlirOperationGetNumOperands(a);
  if (ir_.Name(a) != ir_.Name(b) || api.mlirOperationGetNumRegions(a) > 0 ||
      api.mlirOperationGetNumResults(a) != 1 ||
      api.mlirOperationGetNumOperands(b) != operands ||
      api.mlirOperationGetNumAttributes(b) != attributes ||
      !api.mlirTypeEqual(ir_.ResultTypes(a)[0], ir_.ResultTypes(b)[0])) {
    return false;
  }
  for (intptr_t i = 0; i < attributes; ++i) {
    const MlirNamedAttribute one = api.mlirOperationGetAttribute(a, i);
    const MlirNamedAttribute other = api.mlirOperationGetAttribute(b, i);
    if (one.name.ptr != other.name.ptr ||
        !api.mlirAttributeEqual(one.attribute, other.attribute)) {
      return false;
    }
  }
  for (intptr_t i = 0; i < operands; ++i) {
    if (!AreAlike(Operand(a, i), Operand(b, i), mirrored)) return false;
  }
  return true;
}

MlirOperation Comparator::Comparison(MlirValue value,
                                     std::string_view direction) const {
  const MlirOperation op = ir_.Definition(value);
  if (!op.ptr || StablehloName(ir_.Name(op)) != "compare" ||
      WordOf(ir_, op, "comparison_direction") != direction) {
    return {nullptr};
  }
  return op;
}

// `a < b`, `a > b`, where one of both is of left elements.
std::optional<ComparedKey> Comparator::KeyOf(MlirValue before) {
  const bool greater = Comparison(before, "GT").ptr != nullptr;
  const MlirOperation op = Comparison(before, greater ? "GT" : "LT");
  if (!op.ptr || !AreAlike(Operand(op, 0), Operand(op, 1), true)) {
    return std::nullopt;
  }
  const int sides = SidesOf(Operand(op, 0));
  if (sides != 1 && sides != 2) return std::nullopt;
  return ComparedKey{Operand(op, sides - 1), greater == (sides == 1),
                     WordOf(ir_, op, "compare_type")};
}

bool Comparator::IsTie(MlirValue value, const ComparedKey& key, bool inverted) {
  const MlirOperation op = Comparison(value, inverted ? "NE" : "EQ");
  if (!op.ptr || WordOf(ir_, op, "compare_type") != key.type) return false;
  return (AreAlike(key.value, Operand(op, 0), false) &&
          AreAlike(key.value, Operand(op, 1), true)) ||
         (AreAlike(key.value, Operand(op, 0), true) &&
          AreAlike(key.value, Operand(op, 1), false));
}

bool Comparator::AppendRest(MlirValue first, MlirValue tie, MlirValue rest,
                            bool inverted, std::vector<ComparedKey>& keys) {
  const auto key = KeyOf(first);
  if (!key || !IsTie(tie, *key, inverted)) return false;
  const size_t before = keys.size();
  keys.push_back(*key);
  if (AppendKeys(rest, keys)) return true;
  keys.resize(before);
  return false;
}

// One comparison, or `first | tie & rest`, or a selection that says the same.
bool Comparator::AppendKeys(MlirValue before, std::vector<ComparedKey>& keys) {
  if (const auto key = KeyOf(before)) {
    keys.push_back(*key);
    return true;
  }
  const MlirOperation op = ir_.Definition(before);
  if (!op.ptr || ir_.HomeOf(before).ptr != body_.ptr) return false;
  const std::string_view name = StablehloName(ir_.Name(op));
  if (name == "select") {
    const MlirValue mask = Operand(op, 0);
    return AppendRest(Operand(op, 2), mask, Operand(op, 1), false, keys) ||
           AppendRest(Operand(op, 1), mask, Operand(op, 2), true, keys);
  }
  if (name != "or") return false;
  for (intptr_t i = 0; i < 2; ++i) {
    const MlirOperation both = ir_.Definition(Operand(op, 1 - i));
    if (!both.ptr || StablehloName(ir_.Name(both)) != "and") continue;
    for (intptr_t k = 0; k < 2; ++k) {
      if (AppendRest(Operand(op, i), Operand(both, k), Operand(both, 1 - k),
                     false, keys)) {
        return true;
      }
    }
  }
  return false;
}

bool Comparator::IsNumber(MlirValue value, std::string_view prefix) const {
  const MlirOperation op = ir_.Definition(value);
  return op.ptr && StablehloName(ir_.Name(op)) == "constant" &&
         WithoutVhlo(ir_.Print(ir_.Attribute(op, "value"))).starts_with(prefix);
}

// select(x != x, nan, select(x == 0, 0, x)), as JAX sends it.
MlirValue Comparator::UnifiedOf(MlirValue value) {
  constexpr MlirValue kNone{nullptr};
  const auto is_select = [&](MlirOperation op) {
    return op.ptr && StablehloName(ir_.Name(op)) == "select";
  };
  const MlirOperation outer = ir_.Definition(value);
  // A NaN with the sign bit off.
  if (!is_select(outer) || !IsNumber(Operand(outer, 1), "dense<0x7")) {
    return kNone;
  }
  const MlirOperation inner = ir_.Definition(Operand(outer, 2));
  if (!is_select(inner) || !IsNumber(Operand(inner, 1), "dense<0.0")) {
    return kNone;
  }
  const MlirValue x = Operand(inner, 2);
  const MlirOperation nan = Comparison(Operand(outer, 0), "NE");
  const MlirOperation zero = Comparison(Operand(inner, 0), "EQ");
  const bool matches = nan.ptr && zero.ptr &&
                       AreAlike(Operand(nan, 0), x, false) &&
                       AreAlike(Operand(nan, 1), x, false) &&
                       AreAlike(Operand(zero, 0), x, false) &&
                       IsNumber(Operand(zero, 1), "dense<0.0");
  return matches ? x : kNone;
}

}  // namespace iree_pjrt
