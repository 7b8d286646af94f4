// SPDX-License-Identifier: Apache-2.0
#include "bytecode/bytecode.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <vector>

#include "bytecode/bytecode_reader.h"

namespace iree_pjrt {
namespace {

constexpr std::string_view kMagic = "ML\xefR";

std::vector<std::string_view> ReadStrings(std::string_view section) {
  BytecodeReader reader(section);
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

std::vector<std::string_view> ReadDialects(
    std::string_view section, const std::vector<std::string_view>& strings) {
  BytecodeReader reader(section);
  const uint64_t count = reader.Varint();
  std::vector<std::string_view> dialects;
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    const uint64_t name_and_versioned = reader.Varint();
    const uint64_t name = name_and_versioned >> 1;
    if (!reader.ok()) break;
    dialects.push_back(name < strings.size() ? strings[name]
                                             : std::string_view());
    if (name_and_versioned & 1) NextSection(reader, section.size());
  }
  return dialects;
}

struct Head {
  std::vector<std::string_view> strings;
  std::string_view dialects;
};

Head ReadHead(std::string_view program) {
  BytecodeReader reader = BytecodeSections(program);
  Head head;
  while (reader.ok() && !reader.empty()) {
    const auto section = NextSection(reader, program.size());
    if (!section) break;
    if (section->id == BytecodeSection::kStrings)
      head.strings = ReadStrings(section->data);
    if (section->id == BytecodeSection::kDialects)
      head.dialects = section->data;
  }
  return head;
}

bool BytecodeHoldsDialect(std::string_view program, std::string_view dialect) {
  const std::vector<std::string_view> dialects = DialectNames(program);
  return std::find(dialects.begin(), dialects.end(), dialect) != dialects.end();
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

std::vector<std::string_view> DialectNames(std::string_view program) {
  const Head head = ReadHead(program);
  return ReadDialects(head.dialects, head.strings);
}

bool HoldsDialect(std::string_view program, std::string_view dialect) {
  return IsMlirBytecode(program) ? BytecodeHoldsDialect(program, dialect)
                                 : TextHoldsDialect(program, dialect);
}

}  // namespace iree_pjrt
