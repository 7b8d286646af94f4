// SPDX-License-Identifier: Apache-2.0
// Transpositions. IREE (3.11, 3.13) takes squares of 8 or 16 lines, also of 100
// or 12 columns, whose last square it masks: without AVX-512 element by
// element, if they are narrow. And it gives workers squares of some 50 x 50,
// which is few elements of many lines of the result. In squares that divide the
// lines, and parts that are long in the result, 10,000 x 100 float32 take two
// thirds of the time with AVX2, int8 a third. Of float32 whose lines IREE's
// squares divide only short lines of the operand gain: an image's channels,
// which whole cache lines of the result are written of.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mlir/array_type.h"
#include "mlir/generics.h"
#include "rewrite/dispatch/lowering_config.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// Of the elements that lie side by side in the result, and in the operand, what
// a worker gets, if the lines have as many. More where that divides the lines:
// of a shorter part at the end of a line IREE masks the vectors of all.
constexpr int64_t kWrittenPart = 256;
constexpr int64_t kReadPart = 16;
constexpr int64_t kMoreWritten = 400;
constexpr int64_t kMoreRead = 40;
// At least so many elements in all.
constexpr int64_t kPart = 4096;
// Of a line of the operand, what is taken at once of narrow elements.
constexpr int64_t kNarrowVector = 8;

// The loops along which the result and the operand lie side by side.
struct Loops {
  size_t written;
  size_t read;
};

// Null unless the only input is indexed by all loops, in another order than
// the result and with another one last.
std::optional<Loops> TransposedLoops(const Ir& ir, MlirOperation op) {
  if (!IsElementwise(ir, op)) return std::nullopt;
  const std::vector<LoopList> maps = IndexingMaps(ir, op);
  const LoopList all = AllLoops(LoopCount(ir, op));
  if (maps.size() != 2 || all.empty()) return std::nullopt;
  const bool all_used = std::ranges::all_of(maps, [&](const LoopList& map) {
    return std::ranges::is_permutation(map, all);
  });
  if (!all_used || maps[0].back() == maps[1].back()) return std::nullopt;
  return Loops{.written = static_cast<size_t>(maps[1].back()),
               .read = static_cast<size_t>(maps[0].back())};
}

// Of a line, how many elements are taken at once.
int64_t VectorOf(int64_t length, int64_t most) {
  constexpr int64_t kLeast = 4;
  constexpr int64_t kUsual = 8;
  for (int64_t vector = most; vector >= kLeast; vector /= 2) {
    if (length % vector == 0) return vector;
  }
  return std::min(length, kUsual);
}

bool Divides(int64_t vector, int64_t length) {
  return vector > 0 && length % vector == 0;
}

// Whether there are vectors, and along no other loop.
bool OnlyThese(std::vector<int64_t> vectors, const Loops& loops) {
  if (vectors.empty()) return false;
  vectors[loops.written] = vectors[loops.read] = 1;
  return std::ranges::max(vectors) <= 1;
}

// How many elements lie side by side.
struct Lines {
  int64_t read;
  int64_t written;
  bool are_narrow;
};

// Null for elements that are left as IREE has them.
std::optional<Lines> LinesOf(const Ir& ir, MlirOperation op) {
  const auto operand = ArrayTypeOf(ir, ir.Operands(op).front());
  const auto result = ArrayTypeOf(ir, ir.Results(op).front());
  if (!operand || !result) return std::nullopt;
  const std::string element = result->Element();
  const bool is_narrow = IsNarrow(ir, ir.ParseType(element));
  if (!is_narrow && element != "f32" && element != "i32") return std::nullopt;
  return Lines{operand->shape.back(), result->shape.back(), is_narrow};
}

// Whether IREE's squares need no others.
bool AreFilled(const Lines& lines, int64_t read, int64_t written) {
  return !lines.are_narrow && lines.read > kReadPart &&
         Divides(read, lines.read) && Divides(written, lines.written);
}

void SetVectors(const Lines& lines, int64_t& read, int64_t& written) {
  read = VectorOf(lines.read, lines.are_narrow ? kNarrowVector : read);
  // IREE exchanges 4 x 8 floats in registers, and 4 x 16 one by one.
  const bool is_short = !lines.are_narrow && read < 8;
  written = VectorOf(lines.written, is_short ? 8 : 16);
}

int64_t PartOf(int64_t line, int64_t vector, int64_t wanted, int64_t most) {
  if (Divides(vector, line)) {
    const int64_t part = vector * DivisorUpTo(most / vector, line / vector);
    if (2 * part >= wanted) return part;
  }
  return std::min(line, UpToWhole(wanted, vector));
}

void SetParts(const Lines& lines, const Loops& loops,
              const std::vector<int64_t>& vectors,
              std::vector<int64_t>& parts) {
  parts[loops.written] =
      PartOf(lines.written, vectors[loops.written], kWrittenPart, kMoreWritten);
  int64_t others = 1;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != loops.read) others *= std::max<int64_t>(parts[i], 1);
  }
  const int64_t wanted = std::max(kReadPart, kPart / others);
  parts[loops.read] = PartOf(lines.read, vectors[loops.read], wanted,
                             std::max(wanted, kMoreRead));
}

void TileTranspose(const Ir& ir, MlirOperation op) {
  const auto loops = TransposedLoops(ir, op);
  std::vector<int64_t> vectors = TileSizes(ir, op, kVectors);
  std::vector<int64_t> parts = TileSizes(ir, op, kDistribution);
  if (!loops || !OnlyThese(vectors, *loops) || parts.size() != vectors.size() ||
      TiledWith(ir, op).size() != 1) {
    return;
  }
  int64_t& read = vectors[loops->read];
  int64_t& written = vectors[loops->written];
  const auto lines = LinesOf(ir, op);
  if (!lines || AreFilled(*lines, read, written)) return;
  SetVectors(*lines, read, written);
  SetParts(*lines, *loops, vectors, parts);
  SetTileSizes(ir, op, kVectors, vectors);
  SetTileSizes(ir, op, kDistribution, parts);
}

}  // namespace

void TileTransposes(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) TileTranspose(ir, op);
}

}  // namespace iree_pjrt
