// SPDX-License-Identifier: Apache-2.0
#include "bytecode.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdint>
#include <optional>
#include <vector>

namespace iree_pjrt {
namespace {

constexpr std::string_view kMagic = "ML\xefR";
constexpr uint8_t kStringSection = 0;
constexpr uint8_t kDialectSection = 1;
constexpr uint8_t kAlignedBit = 0x80;

// Reads from the front; once anything is missing it stays failed.
class Reader {
 public:
  explicit Reader(std::string_view data) : data_(data) {}

  bool ok() const { return ok_; }
  bool empty() const { return data_.empty(); }

  uint8_t Byte() {
    const std::string_view byte = Bytes(1);
    return byte.empty() ? 0 : static_cast<uint8_t>(byte[0]);
  }

  std::string_view Bytes(uint64_t size) {
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
  uint64_t Varint() {
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

  void SkipString() {
    const size_t end = data_.find('\0');
    Bytes(end == std::string_view::npos ? data_.size() + 1 : end + 1);
  }

  std::string_view Rest() const { return data_; }

 private:
  std::string_view data_;
  bool ok_ = true;
};

// Sections in the order of the file; padding of aligned ones is skipped.
struct Section {
  uint8_t id;
  std::string_view data;
};
std::optional<Section> NextSection(Reader& reader, size_t total) {
  const uint8_t id = reader.Byte();
  const uint64_t size = reader.Varint();
  if (id & kAlignedBit) {
    const uint64_t alignment = reader.Varint();
    if (!reader.ok() || alignment == 0) return std::nullopt;
    const uint64_t at = total - reader.Rest().size();
    reader.Bytes((alignment - at % alignment) % alignment);
  }
  const std::string_view data = reader.Bytes(size);
  if (!reader.ok()) return std::nullopt;
  return Section{static_cast<uint8_t>(id & ~kAlignedBit), data};
}

std::vector<std::string_view> ReadStrings(std::string_view section) {
  Reader reader(section);
  const uint64_t count = reader.Varint();
  if (!reader.ok() || count > section.size()) return {};
  std::vector<uint64_t> sizes(count);  // stored last string first
  for (uint64_t i = count; i-- > 0;) sizes[i] = reader.Varint();
  std::vector<std::string_view> strings;
  for (uint64_t size : sizes) {
    std::string_view string = reader.Bytes(size);
    if (!reader.ok()) return {};
    if (!string.empty()) string.remove_suffix(1);  // its NUL
    strings.push_back(string);
  }
  return strings;
}

bool NamesDialect(std::string_view section,
                  const std::vector<std::string_view>& strings,
                  std::string_view dialect) {
  Reader reader(section);
  const uint64_t count = reader.Varint();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    const uint64_t name_and_versioned = reader.Varint();
    const uint64_t name = name_and_versioned >> 1;
    if (name < strings.size() && strings[name] == dialect) return reader.ok();
    if (name_and_versioned & 1) {
      NextSection(reader, section.size());
    }
  }
  return false;
}

struct Head {
  std::vector<std::string_view> strings;
  std::string_view dialects;
};

Head ReadHead(std::string_view program) {
  Reader reader(program);
  reader.Bytes(kMagic.size());
  reader.Varint();      // version
  reader.SkipString();  // producer
  Head head;
  while (reader.ok() && !reader.empty()) {
    const auto section = NextSection(reader, program.size());
    if (!section) break;
    if (section->id == kStringSection)
      head.strings = ReadStrings(section->data);
    if (section->id == kDialectSection) head.dialects = section->data;
  }
  return head;
}

bool BytecodeHoldsDialect(std::string_view program, std::string_view dialect) {
  const Head head = ReadHead(program);
  return NamesDialect(head.dialects, head.strings, dialect);
}

// `sdy.` where a word begins: an operation, or after one of # ! ".
bool TextHoldsDialect(std::string_view text, std::string_view dialect) {
  size_t pos = 0;
  while ((pos = text.find(dialect, pos)) != std::string_view::npos) {
    const size_t end = pos + dialect.size();
    const char before = pos == 0 ? ' ' : text[pos - 1];
    const bool begins = !std::isalnum(static_cast<unsigned char>(before)) &&
                        before != '_' && before != '.' && before != '@' &&
                        before != '%' && before != '/';
    if (begins && end < text.size() && text[end] == '.') return true;
    pos = end;
  }
  return false;
}

}  // namespace

bool IsMlirBytecode(std::string_view program) {
  return program.starts_with(kMagic);
}

bool HoldsDialect(std::string_view program, std::string_view dialect) {
  return IsMlirBytecode(program) ? BytecodeHoldsDialect(program, dialect)
                                 : TextHoldsDialect(program, dialect);
}

bool HoldsName(std::string_view program, std::string_view name) {
  if (!IsMlirBytecode(program)) return false;
  const Head head = ReadHead(program);
  return std::find(head.strings.begin(), head.strings.end(), name) !=
         head.strings.end();
}

}  // namespace iree_pjrt
