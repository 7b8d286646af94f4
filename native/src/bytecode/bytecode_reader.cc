// SPDX-License-Identifier: Apache-2.0
#include "bytecode/bytecode_reader.h"

#include <bit>

namespace iree_pjrt {
namespace {

constexpr size_t kMagicSize = 4;
constexpr uint8_t kAlignedBit = 0x80;
constexpr char kPadding = '\xcb';

}  // namespace

uint8_t BytecodeReader::Byte() {
  const std::string_view byte = Bytes(1);
  return byte.empty() ? 0 : static_cast<uint8_t>(byte[0]);
}

std::string_view BytecodeReader::Bytes(uint64_t size) {
  if (size > data_.size()) {
    ok_ = false;
    data_ = {};
    return {};
  }
  const std::string_view bytes = data_.substr(0, size);
  data_.remove_prefix(size);
  return bytes;
}

// MLIR's prefix varint: the trailing zero bits of the first byte say how many
// bytes follow.
uint64_t BytecodeReader::Varint() {
  const uint8_t first = Byte();
  if (!ok_) return 0;
  if (first & 1) return first >> 1;
  const int extra = first == 0 ? 8 : std::countr_zero(first);
  const std::string_view rest = Bytes(extra);
  uint64_t value = first == 0 ? 0 : first;
  const int base = first == 0 ? 0 : 8;
  for (size_t i = 0; i < rest.size(); ++i) {
    value |= static_cast<uint64_t>(static_cast<uint8_t>(rest[i]))
             << (base + 8 * i);
  }
  return first == 0 ? value : value >> (extra + 1);
}

void BytecodeReader::SkipString() {
  const size_t end = data_.find('\0');
  Bytes(end == std::string_view::npos ? data_.size() + 1 : end + 1);
}

BytecodeReader BytecodeSections(std::string_view program) {
  BytecodeReader reader(program);
  reader.Bytes(kMagicSize);
  reader.Varint();      // version
  reader.SkipString();  // producer
  return reader;
}

std::optional<BytecodeSection> NextSection(BytecodeReader& reader,
                                           size_t total) {
  const uint8_t id = reader.Byte();
  const uint64_t size = reader.Varint();
  uint64_t alignment = 0;
  if (id & kAlignedBit) {
    alignment = reader.Varint();
    if (!reader.ok() || alignment == 0) return std::nullopt;
    const uint64_t at = total - reader.rest().size();
    reader.Bytes((alignment - at % alignment) % alignment);
  }
  const std::string_view data = reader.Bytes(size);
  if (!reader.ok()) return std::nullopt;
  return BytecodeSection{static_cast<uint8_t>(id & ~kAlignedBit), alignment,
                         data};
}

void AppendVarint(uint64_t value, std::string& out) {
  int extra = 0;
  while (extra < 8 && (value >> (7 * (extra + 1))) != 0) ++extra;
  if (extra == 8) {
    out.push_back('\0');
  } else {
    value = (value << 1 | 1) << extra;
    ++extra;
  }
  for (int i = 0; i < extra; ++i) {
    out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  }
}

void AppendSection(const BytecodeSection& section, std::string& out) {
  out.push_back(
      static_cast<char>(section.id | (section.alignment ? kAlignedBit : 0)));
  AppendVarint(section.data.size(), out);
  if (section.alignment) {
    AppendVarint(section.alignment, out);
    while (out.size() % section.alignment != 0) out.push_back(kPadding);
  }
  out += section.data;
}

}  // namespace iree_pjrt
