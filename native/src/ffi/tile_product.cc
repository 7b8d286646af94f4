// SPDX-License-Identifier: Apache-2.0
// A tile has 16 rows of 16 groups of 4 bytes: 4 integers, or 2 floats. Both
// matrices are packed so that tiles lie one after another along the depth; of
// the second one rows and groups are exchanged. What is beyond a matrix's end
// is zero.
#include "ffi/tile_product.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "runtime/share_work.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#define IREE_PJRT_WITH_TILES \
  __attribute__((target("amx-tile,amx-int8,amx-bf16")))
#endif

namespace iree_pjrt {
namespace {

constexpr size_t kSide = 16;
constexpr size_t kGroupBytes = 4;
constexpr size_t kTileBytes = kSide * kSide * kGroupBytes;
// Two tiles of each matrix are multiplied by each other at once.
constexpr size_t kBlockLines = 2 * kSide;
constexpr size_t kBlockElements = kBlockLines * kBlockLines;
// Fewer multiply-adds take less time than calling another thread does.
constexpr size_t kShareProductsFrom = 1 << 21;

size_t Ceiled(size_t number, size_t divisor) {
  return (number + divisor - 1) / divisor;
}

size_t TilesAlong(size_t depth, size_t element_bytes) {
  return Ceiled(depth * element_bytes, kSide * kGroupBytes);
}

// Of the lines of all batches, packed.
size_t PackedBytes(size_t batch, size_t lines, size_t tiles) {
  return batch * Ceiled(lines, kBlockLines) * 2 * tiles * kTileBytes;
}

// Lines of one matrix on their way into tiles. `Element`: unsigned, of the
// size; `kTurned`: lines lie side by side; `kExchanged`: so do the groups that
// the tiles of several lines have at one depth.
template <typename Element, bool kTurned, bool kExchanged>
struct Packer {
  static constexpr size_t kInGroup = kGroupBytes / sizeof(Element);

  const Element* data;
  size_t stride;  // of lines, or of the elements of one
  size_t lines;   // that there are
  size_t depth;   // that is left

  uint32_t Group(size_t line, size_t group) const {
    const size_t first = group * kInGroup;
    uint32_t bits = 0;
    if constexpr (kTurned) {
      for (size_t i = 0; i < kInGroup; ++i) {
        bits |= uint32_t{data[(first + i) * stride + line]}
                << (8 * sizeof(Element) * i);
      }
    } else {
      std::memcpy(&bits, data + line * stride + first, sizeof(bits));
    }
    return bits;
  }

  uint32_t GroupAtEnd(size_t line, size_t group) const {
    uint32_t bits = 0;
    for (size_t i = 0; line < lines && i < kInGroup; ++i) {
      const size_t k = group * kInGroup + i;
      if (k >= depth) break;
      const size_t at = kTurned ? k * stride + line : line * stride + k;
      bits |= uint32_t{data[at]} << (8 * sizeof(Element) * i);
    }
    return bits;
  }

  void Pack(uint32_t* tile) const {
    const bool whole = lines >= kSide && depth >= kSide * kInGroup;
    whole ? Fill<&Packer::Group>(tile) : Fill<&Packer::GroupAtEnd>(tile);
  }

 private:
  template <auto kBits>
  void Fill(uint32_t* tile) const {
    for (size_t i = 0; i < kSide; ++i) {
      for (size_t k = 0; k < kSide; ++k) {
        tile[i * kSide + k] =
            kExchanged ? (this->*kBits)(k, i) : (this->*kBits)(i, k);
      }
    }
  }
};

// One of the two matrices of all batches, packed.
class PackedLines {
 public:
  PackedLines(const LinesOfProduct& from, size_t depth, size_t tiles,
              char* bytes)
      : from_(from),
        depth_(depth),
        tiles_(tiles),
        blocks_(Ceiled(from.lines, kBlockLines)),
        bytes_(bytes) {}

  size_t blocks() const { return blocks_; }

  // 2 x `tiles` tiles: of the block's first 16 lines, then of the others.
  char* Block(size_t batch, size_t block) const {
    return bytes_ + (batch * blocks_ + block) * 2 * tiles_ * kTileBytes;
  }

  template <typename Element, bool kExchanged>
  void Pack(size_t batch, size_t block) const {
    if (from_.along == 1) {
      PackAs<Element, false, kExchanged>(batch, block);
    } else {
      PackAs<Element, true, kExchanged>(batch, block);
    }
  }

 private:
  template <typename Element, bool kTurned, bool kExchanged>
  void PackAs(size_t batch, size_t block) const {
    using Lines = Packer<Element, kTurned, kExchanged>;
    const auto* matrix =
        static_cast<const Element*>(from_.data) + batch * from_.lines * depth_;
    char* tile = Block(batch, block);
    for (size_t half = 0; half < 2; ++half) {
      const size_t line = block * kBlockLines + half * kSide;
      const size_t lines = line < from_.lines ? from_.lines - line : 0;
      for (size_t t = 0; t < tiles_; ++t, tile += kTileBytes) {
        const size_t k = t * kSide * Lines::kInGroup;
        Lines{matrix + line * from_.across + k * from_.along,
              kTurned ? from_.along : from_.across, lines, depth_ - k}
            .Pack(reinterpret_cast<uint32_t*>(tile));
      }
    }
  }

  const LinesOfProduct from_;
  const size_t depth_;
  const size_t tiles_;
  const size_t blocks_;
  char* const bytes_;
};

// The product of two blocks, into rows that are `stride` elements apart.
template <typename Result>
using MultiplyBlocks = void (*)(const char* lhs, const char* rhs, size_t tiles,
                                Result* result, size_t stride);

float Widened(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

// What the instructions do, in plain C++. Integers wrap around.
template <typename Result>
void MultiplyPlainly(const char* lhs, const char* rhs, size_t tiles,
                     Result* result, size_t stride) {
  using Element =
      std::conditional_t<std::is_same_v<Result, float>, uint16_t, int8_t>;
  constexpr size_t kInGroup = kGroupBytes / sizeof(Element);
  constexpr size_t kRow = kSide * kInGroup;
  for (size_t row = 0; row < kBlockLines; ++row) {
    for (size_t column = 0; column < kBlockLines; ++column) {
      const char* a = lhs + row / kSide * tiles * kTileBytes;
      const char* b = rhs + column / kSide * tiles * kTileBytes;
      std::conditional_t<std::is_same_v<Result, float>, float, uint32_t> sum{};
      for (size_t t = 0; t < tiles; ++t, a += kTileBytes, b += kTileBytes) {
        const auto* x =
            reinterpret_cast<const Element*>(a) + row % kSide * kRow;
        const auto* y =
            reinterpret_cast<const Element*>(b) + column % kSide * kInGroup;
        for (size_t k = 0; k < kRow; ++k) {
          const Element p = x[k];
          const Element q = y[k / kInGroup * kRow + k % kInGroup];
          if constexpr (std::is_same_v<Result, float>) {
            sum += Widened(p) * Widened(q);
          } else {
            sum += static_cast<uint32_t>(p * q);
          }
        }
      }
      result[row * stride + column] = static_cast<Result>(sum);
    }
  }
}

#if defined(__x86_64__)

// Of the registers for tiles: all are whole.
struct alignas(64) TileShapes {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

IREE_PJRT_WITH_TILES void BeginTiles() {
  const TileShapes shapes;
  _tile_loadconfig(&shapes);
}

IREE_PJRT_WITH_TILES void EndTiles() { _tile_release(); }

template <typename Result>
IREE_PJRT_WITH_TILES void MultiplyByTiles(const char* lhs, const char* rhs,
                                          size_t tiles, Result* result,
                                          size_t stride) {
  const size_t half = tiles * kTileBytes;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (size_t t = 0; t < tiles; ++t, lhs += kTileBytes, rhs += kTileBytes) {
    _tile_loadd(4, lhs, 64);
    _tile_loadd(6, rhs, 64);
    _tile_loadd(7, rhs + half, 64);
    _tile_loadd(5, lhs + half, 64);
    if constexpr (std::is_same_v<Result, float>) {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    } else {
      _tile_dpbssd(0, 4, 6);
      _tile_dpbssd(1, 4, 7);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(3, 5, 7);
    }
  }
  const size_t bytes = stride * sizeof(Result);
  _tile_stored(0, result, bytes);
  _tile_stored(1, result + kSide, bytes);
  _tile_stored(2, result + kSide * stride, bytes);
  _tile_stored(3, result + kSide * stride + kSide, bytes);
}

bool AskForTiles() {
  constexpr uint32_t kInstructions = 1u << 22 | 1u << 24 | 1u << 25;
  constexpr int kAskForState = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) &&
         (edx & kInstructions) == kInstructions &&
         syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}

#else

void BeginTiles() {}
void EndTiles() {}
bool AskForTiles() { return false; }
template <typename Result>
constexpr MultiplyBlocks<Result> MultiplyByTiles = &MultiplyPlainly<Result>;

#endif

template <typename Element, typename Result>
class Multiplication {
 public:
  Multiplication(const TileProduct& product, bool with_tiles)
      : product_(product),
        with_tiles_(with_tiles),
        tiles_(TilesAlong(product.depth, sizeof(Element))),
        lhs_(product.lhs, product.depth, tiles_,
             static_cast<char*>(product.scratch)),
        rhs_(product.rhs, product.depth, tiles_,
             static_cast<char*>(product.scratch) +
                 PackedBytes(product.batch, product.lhs.lines, tiles_)) {}

  void Run() const {
    const size_t blocks = lhs_.blocks() + rhs_.blocks();
    Share(0, product_.batch * blocks, [&](uint64_t begin, uint64_t end) {
      for (uint64_t i = begin; i < end; ++i) PackBlock(i / blocks, i % blocks);
    });
    const size_t results = product_.batch * lhs_.blocks() * rhs_.blocks();
    Share(1, results, [&](uint64_t begin, uint64_t end) {
      if (with_tiles_) BeginTiles();
      for (uint64_t i = begin; i < end; ++i) MultiplyBlock(i);
      if (with_tiles_) EndTiles();
    });
  }

 private:
  template <typename Work>
  void Share(uint64_t step, size_t count, const Work& work) const {
    const size_t each = product_.lhs.lines * product_.rhs.lines;
    if (product_.batch * each * product_.depth < kShareProductsFrom) {
      return work(0, count);
    }
    // How long a part takes depends on the depth.
    ShareThrowingWork(2 * product_.depth + step, count, work);
  }

  void PackBlock(size_t batch, size_t block) const {
    if (block < lhs_.blocks()) {
      lhs_.template Pack<Element, false>(batch, block);
    } else {
      rhs_.template Pack<Element, true>(batch, block - lhs_.blocks());
    }
  }

  // Blocks of one column of results follow each other.
  void MultiplyBlock(size_t i) const {
    const size_t row = i % lhs_.blocks();
    const size_t column = i / lhs_.blocks() % rhs_.blocks();
    const size_t batch = i / lhs_.blocks() / rhs_.blocks();
    const MultiplyBlocks<Result> multiply =
        with_tiles_ ? MultiplyBlocks<Result>(MultiplyByTiles<Result>)
                    : &MultiplyPlainly<Result>;
    const size_t width = product_.rhs.lines;
    Result* to = static_cast<Result*>(product_.result) +
                 (batch * product_.lhs.lines + row * kBlockLines) * width +
                 column * kBlockLines;
    const size_t rows =
        std::min(kBlockLines, product_.lhs.lines - row * kBlockLines);
    const size_t columns = std::min(kBlockLines, width - column * kBlockLines);
    const char* lhs = lhs_.Block(batch, row);
    const char* rhs = rhs_.Block(batch, column);
    if (rows == kBlockLines && columns == kBlockLines) {
      return multiply(lhs, rhs, tiles_, to, width);
    }
    alignas(64) Result block[kBlockElements];
    multiply(lhs, rhs, tiles_, block, kBlockLines);
    for (size_t r = 0; r < rows; ++r) {
      std::memcpy(to + r * width, block + r * kBlockLines,
                  columns * sizeof(Result));
    }
  }

  const TileProduct& product_;
  const bool with_tiles_;
  const size_t tiles_;  // along the depth
  const PackedLines lhs_;
  const PackedLines rhs_;
};

}  // namespace

bool HasTiles() {
  static const bool has = AskForTiles();
  return has;
}

size_t TileProduct::ScratchBytes(size_t batch, size_t lhs_lines,
                                 size_t rhs_lines, size_t depth,
                                 size_t element_bytes) {
  const size_t tiles = TilesAlong(depth, element_bytes);
  return PackedBytes(batch, lhs_lines, tiles) +
         PackedBytes(batch, rhs_lines, tiles);
}

void TileProduct::OfBytes(bool with_tiles) const {
  Multiplication<uint8_t, int32_t>(*this, with_tiles).Run();
}

void TileProduct::OfBfloat16(bool with_tiles) const {
  Multiplication<uint16_t, float>(*this, with_tiles).Run();
}

}  // namespace iree_pjrt
