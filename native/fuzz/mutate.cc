// SPDX-License-Identifier: Apache-2.0
#include "mutate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "bytecode/bytecode.h"
#include "bytecode/bytecode_reader.h"

namespace iree_pjrt_fuzz {
namespace {

using iree_pjrt::BytecodeReader;
using iree_pjrt::BytecodeSection;

constexpr std::array<uint8_t, 12> kBytes = {0,    1,    2,    3,    0x7f, 0x80,
                                            0x81, 0xfe, 0xff, 0x10, 0x40, 0xcb};
constexpr std::array<std::string_view, 8> kNumbers = {
    "0", "1", "-1", "3", "64", "1000000", "9223372036854775807", "?"};
constexpr std::array<std::string_view, 9> kTypes = {
    "f32", "f64", "i1", "i8", "i32", "i64", "bf16", "complex<f32>", "index"};

std::vector<BytecodeSection> SectionsOf(const std::string& program,
                                        std::string& head) {
  BytecodeReader reader = iree_pjrt::BytecodeSections(program);
  head = program.substr(0, program.size() - reader.rest().size());
  std::vector<BytecodeSection> sections;
  while (reader.ok() && !reader.empty()) {
    const auto section = iree_pjrt::NextSection(reader, program.size());
    if (!section) break;
    sections.push_back(*section);
  }
  return sections;
}

}  // namespace

void Mutator::ChangeBytes(std::string& bytes, const std::string& other) {
  const size_t at = Pick(bytes.size() + 1);
  const size_t some = 1 + Pick(8);
  switch (bytes.empty() ? 2 : Pick(6)) {
    case 0:
      bytes[at % bytes.size()] ^= static_cast<char>(1 << Pick(8));
      break;
    case 1:
      bytes[at % bytes.size()] = static_cast<char>(kBytes[Pick(kBytes.size())]);
      break;
    case 2:
      bytes.insert(at, some, static_cast<char>(kBytes[Pick(kBytes.size())]));
      break;
    case 3:
      bytes.erase(at, some);
      break;
    case 4:
      if (!other.empty()) {
        bytes.replace(at, some, other.substr(Pick(other.size()), some));
      }
      break;
    default:
      bytes.replace(at, some, bytes.substr(Pick(bytes.size()), some));
  }
}

std::string Mutator::Bytes(std::string input, const std::string& other) {
  for (size_t changes = 1 + Pick(3); changes > 0; --changes) {
    ChangeBytes(input, other);
  }
  if (Pick(40) == 0) input.resize(Pick(input.size() + 1));
  return input;
}

std::string Mutator::Program(const std::string& input,
                             const std::string& other) {
  if (!iree_pjrt::IsMlirBytecode(input)) return Text(input, other);
  return Pick(8) == 0 ? Bytes(input, other) : Sections(input, other);
}

std::string Mutator::Sections(const std::string& input,
                              const std::string& other) {
  std::string head;
  std::string other_head;
  const auto sections = SectionsOf(input, head);
  const auto others = SectionsOf(other, other_head);
  if (sections.empty()) return Bytes(input, other);
  const size_t changed = Pick(sections.size());
  std::string out = head;
  for (size_t i = 0; i < sections.size(); ++i) {
    std::string data(sections[i].data);
    if (i == changed) {
      const auto same = std::find_if(
          others.begin(), others.end(),
          [&](const auto& one) { return one.id == sections[i].id; });
      if (sections[i].id == BytecodeSection::kStrings && Pick(4) != 0) {
        data = Names(data);
      } else if (same != others.end() && Pick(20) == 0) {
        data = same->data;
      } else {
        data =
            Bytes(data, same == others.end() ? data : std::string(same->data));
      }
    }
    iree_pjrt::AppendSection({sections[i].id, sections[i].alignment, data},
                             out);
  }
  return out;
}

// Replaces the name of an operation, attribute or type by another.
std::string Mutator::Names(const std::string& strings) {
  BytecodeReader reader(strings);
  const uint64_t count = reader.Varint();
  if (count == 0 || count > strings.size()) return strings;
  std::vector<uint64_t> sizes(count);
  for (uint64_t i = count; i-- > 0;) sizes[i] = reader.Varint();
  std::vector<std::string> names;
  for (uint64_t size : sizes) names.emplace_back(reader.Bytes(size));
  names[Pick(count)] = names[Pick(count)];
  std::string out;
  iree_pjrt::AppendVarint(count, out);
  for (uint64_t i = count; i-- > 0;) {
    iree_pjrt::AppendVarint(names[i].size(), out);
  }
  for (const std::string& name : names) out += name;
  return out;
}

std::string Mutator::Text(std::string text, const std::string& other) {
  const size_t at = Pick(text.size() + 1);
  size_t end;
  switch (Pick(5)) {
    case 0: {  // a number
      const size_t begin = text.find_first_of("0123456789", at);
      if (begin == std::string::npos) break;
      end = text.find_first_not_of("0123456789", begin);
      text.replace(begin, end - begin, kNumbers[Pick(kNumbers.size())]);
      break;
    }
    case 1: {  // a type
      const size_t begin = text.find("xf32", at);
      if (begin == std::string::npos) break;
      text.replace(begin + 1, 3, kTypes[Pick(kTypes.size())]);
      break;
    }
    case 2:    // a line less
    case 3: {  // a line twice
      const size_t begin = text.find('\n', at);
      if (begin == std::string::npos) break;
      end = std::min(text.find('\n', begin + 1), text.size());
      const std::string line = text.substr(begin, end - begin);
      if (Pick(2)) {
        text.erase(begin, line.size());
      } else {
        text.insert(std::min(text.find('\n', Pick(text.size())), text.size()),
                    line);
      }
      break;
    }
    default:
      ChangeBytes(text, other);
  }
  return text;
}

}  // namespace iree_pjrt_fuzz
