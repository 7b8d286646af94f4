// SPDX-License-Identifier: Apache-2.0
#include "cpu/elf_reader.h"

#include <cstdint>
#include <cstring>
#include <string>

#include "base/status.h"

namespace iree_pjrt {

void ThrowDamagedObject(const char* what) {
  ThrowInvalidArgument(std::string("the compiled object is damaged: ") + what);
}

template <typename T>
const T* ElfReader::At(size_t offset, size_t count) const {
  const auto address = reinterpret_cast<uintptr_t>(bytes_.data()) + offset;
  if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T) ||
      address % alignof(T) != 0) {
    ThrowDamagedObject("part out of range");
  }
  return reinterpret_cast<const T*>(bytes_.data() + offset);
}

ElfReader::ElfReader(std::string_view bytes) : bytes_(bytes) {
  const Elf64_Ehdr& header = *At<Elf64_Ehdr>(0, 1);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_REL ||
      header.e_machine != EM_X86_64 ||
      header.e_shentsize != sizeof(Elf64_Shdr)) {
    ThrowInvalidArgument("not a relocatable object for x86-64");
  }
  sections_ = At<Elf64_Shdr>(header.e_shoff, header.e_shnum);
  section_count_ = header.e_shnum;
  for (size_t i = 0; i < section_count_; ++i) {
    if (sections_[i].sh_type == SHT_SYMTAB) ReadSymbols(sections_[i]);
  }
}

const Elf64_Shdr& ElfReader::section(size_t index) const {
  if (index >= section_count_) ThrowDamagedObject("section out of range");
  return sections_[index];
}

const Elf64_Sym& ElfReader::symbol(size_t index) const {
  if (index >= symbol_count_) ThrowDamagedObject("symbol out of range");
  return symbols_[index];
}

const char* ElfReader::Name(const Elf64_Sym& symbol) const {
  if (symbol.st_name >= names_.size()) ThrowDamagedObject("name out of range");
  return names_.data() + symbol.st_name;
}

std::string_view ElfReader::Contents(const Elf64_Shdr& section) const {
  return {At<char>(section.sh_offset, section.sh_size), section.sh_size};
}

std::pair<const Elf64_Rela*, size_t> ElfReader::Relocations(
    const Elf64_Shdr& section) const {
  if (section.sh_type != SHT_RELA) return {nullptr, 0};
  const size_t count = section.sh_size / sizeof(Elf64_Rela);
  return {At<Elf64_Rela>(section.sh_offset, count), count};
}

void ElfReader::ReadSymbols(const Elf64_Shdr& table) {
  symbol_count_ = table.sh_size / sizeof(Elf64_Sym);
  symbols_ = At<Elf64_Sym>(table.sh_offset, symbol_count_);
  names_ = Contents(section(table.sh_link));
  if (names_.empty() || names_.back() != '\0') ThrowDamagedObject("names");
}

}  // namespace iree_pjrt
