// SPDX-License-Identifier: Apache-2.0
#include "bytecode/bool_constants.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "bytecode/bytecode.h"
#include "bytecode/bytecode_reader.h"

namespace iree_pjrt {
namespace {

// Numbers of VHLO's own encoding, which never changes.
constexpr uint64_t kTensorAttribute = 15;
constexpr uint64_t kBoolType = 0;
constexpr uint64_t kRankedTensorType = 20;

// An attribute or a type: the bytes, and the dialect that reads them.
struct Entry {
  uint64_t dialect;
  bool custom;  // encoded by the dialect, not text
  std::string_view data;
};

struct Table {
  std::vector<Entry> attributes;
  std::vector<Entry> types;
};

bool ReadEntries(BytecodeReader& offsets, BytecodeReader& data, uint64_t count,
                 std::vector<Entry>& entries) {
  while (entries.size() < count) {
    const uint64_t dialect = offsets.Varint();
    const uint64_t in_group = offsets.Varint();
    if (!offsets.ok() || in_group > count - entries.size()) return false;
    for (uint64_t i = 0; i < in_group; ++i) {
      const uint64_t size_and_custom = offsets.Varint();
      const std::string_view bytes = data.Bytes(size_and_custom >> 1);
      if (!offsets.ok() || !data.ok()) return false;
      entries.push_back({dialect, (size_and_custom & 1) != 0, bytes});
    }
  }
  return true;
}

std::optional<Table> ReadTable(std::string_view offset_section,
                               std::string_view data_section) {
  BytecodeReader offsets(offset_section);
  BytecodeReader data(data_section);
  const uint64_t attributes = offsets.Varint();
  const uint64_t types = offsets.Varint();
  Table table;
  if (!ReadEntries(offsets, data, attributes, table.attributes) ||
      !ReadEntries(offsets, data, types, table.types)) {
    return std::nullopt;
  }
  return table;
}

bool IsBool(const Entry& type, uint64_t vhlo) {
  if (type.dialect != vhlo || !type.custom) return false;
  BytecodeReader reader(type.data);
  return reader.Varint() == kBoolType && reader.ok();
}

// How many booleans a tensor of this type holds; 0 for other types.
uint64_t BoolCount(const Table& table, uint64_t type, uint64_t vhlo) {
  if (type >= table.types.size()) return 0;
  const Entry& tensor = table.types[type];
  if (tensor.dialect != vhlo || !tensor.custom) return 0;
  BytecodeReader reader(tensor.data);
  if (reader.Varint() != kRankedTensorType) return 0;
  uint64_t count = 1;
  for (uint64_t rank = reader.Varint(); rank > 0 && reader.ok(); --rank) {
    count *= reader.Varint() >> 1;  // a signed varint, never negative here
  }
  const uint64_t element = reader.Varint();
  if (!reader.ok() || element >= table.types.size()) return 0;
  return IsBool(table.types[element], vhlo) ? count : 0;
}

// The attribute with its bytes unpacked; empty if it is no constant of packed
// booleans. Constants whose booleans are all equal are left alone: they have a
// single byte, which the compiler reads well.
std::string Unpacked(const Table& table, const Entry& attribute,
                     uint64_t vhlo) {
  if (attribute.dialect != vhlo || !attribute.custom) return "";
  BytecodeReader reader(attribute.data);
  if (reader.Varint() != kTensorAttribute) return "";
  const uint64_t type = reader.Varint();
  const std::string_view packed = reader.Bytes(reader.Varint());
  const uint64_t count = BoolCount(table, type, vhlo);
  if (!reader.ok() || count < 2 || packed.size() != (count + 7) / 8) return "";
  if (packed.size() == 1 && (packed[0] == '\0' || packed[0] == '\xff')) {
    return "";
  }
  std::string out;
  AppendVarint(kTensorAttribute, out);
  AppendVarint(type, out);
  AppendVarint(count, out);
  for (uint64_t i = 0; i < count; ++i) {
    out.push_back(static_cast<char>(packed[i / 8] >> (i % 8) & 1));
  }
  return out;
}

void AppendOffsets(const std::vector<Entry>& entries, std::string& out) {
  for (size_t begin = 0; begin < entries.size();) {
    size_t end = begin + 1;
    while (end < entries.size() &&
           entries[end].dialect == entries[begin].dialect) {
      ++end;
    }
    AppendVarint(entries[begin].dialect, out);
    AppendVarint(end - begin, out);
    for (; begin < end; ++begin) {
      AppendVarint(entries[begin].data.size() << 1 | entries[begin].custom,
                   out);
    }
  }
}

std::string Offsets(const Table& table) {
  std::string out;
  AppendVarint(table.attributes.size(), out);
  AppendVarint(table.types.size(), out);
  AppendOffsets(table.attributes, out);
  AppendOffsets(table.types, out);
  return out;
}

std::string Data(const Table& table) {
  std::string out;
  for (const Entry& entry : table.attributes) out += entry.data;
  for (const Entry& entry : table.types) out += entry.data;
  return out;
}

// Whether anything was unpacked; `kept` owns the new bytes.
bool UnpackAll(Table& table, uint64_t vhlo, std::vector<std::string>& kept) {
  bool any = false;
  kept.resize(table.attributes.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    kept[i] = Unpacked(table, table.attributes[i], vhlo);
    if (kept[i].empty()) continue;
    table.attributes[i].data = kept[i];
    any = true;
  }
  return any;
}

}  // namespace

std::string UnpackBoolConstants(std::string_view program) {
  if (!IsMlirBytecode(program)) return "";
  const std::vector<std::string_view> dialects = DialectNames(program);
  const auto vhlo = static_cast<uint64_t>(
      std::find(dialects.begin(), dialects.end(), "vhlo") - dialects.begin());
  if (vhlo == dialects.size()) return "";

  BytecodeReader reader = BytecodeSections(program);
  const size_t head = program.size() - reader.rest().size();
  std::vector<BytecodeSection> sections;
  BytecodeSection* data = nullptr;
  BytecodeSection* offsets = nullptr;
  while (!reader.empty()) {
    const auto section = NextSection(reader, program.size());
    if (!section) return "";
    sections.push_back(*section);
  }
  for (BytecodeSection& section : sections) {
    if (section.id == BytecodeSection::kAttributesAndTypes) data = &section;
    if (section.id == BytecodeSection::kAttributeAndTypeOffsets) {
      offsets = &section;
    }
  }
  if (!data || !offsets) return "";
  std::optional<Table> table = ReadTable(offsets->data, data->data);
  if (!table) return "";

  std::vector<std::string> kept;
  if (!UnpackAll(*table, vhlo, kept)) return "";
  const std::string new_data = Data(*table);
  const std::string new_offsets = Offsets(*table);
  data->data = new_data;
  offsets->data = new_offsets;
  std::string out(program.substr(0, head));
  for (const BytecodeSection& section : sections) AppendSection(section, out);
  return out;
}

}  // namespace iree_pjrt
