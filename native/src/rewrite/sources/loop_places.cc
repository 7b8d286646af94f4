// SPDX-License-Identifier: Apache-2.0
#include "rewrite/sources/loop_places.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "mlir/attributes.h"
#include "mlir/generics.h"
#include "mlir/scalar_builder.h"

namespace iree_pjrt {
namespace {

constexpr std::string_view kRest = "arith.rem";
constexpr std::string_view kQuotient = "arith.div";

// The constant that a value is divided by here, if it is.
std::optional<int64_t> DivisorAt(const Ir& ir, const Use& use) {
  const std::string_view name = ir.Name(use.user);
  if (use.operand != 0 ||
      (!name.starts_with(kRest) && !name.starts_with(kQuotient))) {
    return {};
  }
  const MlirOperation divisor =
      ir.Definition(ir.api.mlirOperationGetOperand(use.user, 1));
  if (!divisor.ptr || ir.Name(divisor) != "arith.constant") return {};
  return ReadInteger(ir, ir.Attribute(divisor, "value"));
}

}  // namespace

LoopPlaces::LoopPlaces(const Ir& ir, MlirOperation generic, int64_t loop,
                       int64_t length)
    : ir_(ir), generic_(generic), counts_(1) {
  for (const MlirOperation op : ir.OperationsOf(ir.Body(generic))) {
    for (const MlirValue result : ir.Results(op)) {
      if (LoopOf(ir, result) == loop) counts_[0].push_back(result);
    }
  }
  Split(length);
}

void LoopPlaces::Split(int64_t length) {
  for (int64_t size = DivisorOf(counts_.back(), length); size > 1;
       size = DivisorOf(counts_.back(), length)) {
    std::vector<MlirValue> rests;
    std::vector<MlirValue> quotients;
    for (const MlirValue count : counts_.back()) {
      for (const Use& use : ir_.Uses(count)) {
        if (DivisorAt(ir_, use) != size) continue;
        const bool rest = ir_.Name(use.user).starts_with(kRest);
        (rest ? rests : quotients).push_back(ir_.Results(use.user)[0]);
      }
    }
    sizes_.push_back(size);
    places_.push_back(rests);
    counts_.push_back(quotients);
    length /= size;
  }
  sizes_.push_back(length);
  places_.push_back(counts_.back());
}

int64_t LoopPlaces::DivisorOf(const std::vector<MlirValue>& counts,
                              int64_t length) const {
  for (const MlirValue count : counts) {
    for (const Use& use : ir_.Uses(count)) {
      const int64_t size = DivisorAt(ir_, use).value_or(1);
      if (size > 1 && size < length && length % size == 0) return size;
    }
  }
  return 1;
}

bool LoopPlaces::Is(MlirValue value, size_t dimension) const {
  return std::ranges::any_of(places_[dimension], [&](MlirValue place) {
    return place.ptr == value.ptr;
  });
}

std::vector<Use> LoopPlaces::UsesOf(size_t dimension) const {
  std::vector<Use> all;
  for (const MlirValue place : places_[dimension]) {
    const std::vector<Use> uses = ir_.Uses(place);
    all.insert(all.end(), uses.begin(), uses.end());
  }
  return all;
}

MlirOperation LoopPlaces::FirstOfBody() const {
  return ir_.api.mlirBlockGetFirstOperation(ir_.Body(generic_));
}

void LoopPlaces::Become(const std::vector<MlirValue>& places) const {
  for (size_t i = 0; i < sizes_.size(); ++i) {
    for (const MlirValue place : places_[i]) {
      ir_.SetUses(ir_.Uses(place), places[i]);
    }
  }
  // What is left asks for several dimensions at once.
  for (size_t first = 0; first + 1 < sizes_.size(); ++first) {
    for (const MlirValue count : counts_[first]) {
      std::vector<Use> uses = ir_.Uses(count);
      std::erase_if(uses, [&](const Use& use) {
        return DivisorAt(ir_, use) == sizes_[first];
      });
      if (uses.empty()) continue;
      const ScalarBuilder builder(ir_, ir_.Definition(count),
                                  ir_.api.mlirValueGetType(count));
      MlirValue sum = places.back();
      for (size_t i = sizes_.size() - 1; i-- > first;) {
        const MlirValue begin =
            builder.Apply("arith.muli", {sum, builder.Constant(sizes_[i])});
        sum = builder.Apply("arith.addi", {begin, places[i]});
      }
      ir_.SetUses(uses, sum);
    }
  }
}

}  // namespace iree_pjrt
