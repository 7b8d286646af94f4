// SPDX-License-Identifier: Apache-2.0
// Bounds-checked views into a relocatable ELF object for x86-64. Valid while
// the bytes are; immutable.
#ifndef IREE_PJRT_CPU_ELF_READER_H_
#define IREE_PJRT_CPU_ELF_READER_H_

#include <elf.h>

#include <cstddef>
#include <string_view>
#include <utility>

namespace iree_pjrt {

// Throws INVALID_ARGUMENT.
[[noreturn]] void ThrowDamagedObject(const char* what);

class ElfReader {
 public:
  // `bytes` must be aligned as the system's allocator does. Throws
  // INVALID_ARGUMENT, as every function does for what is out of range.
  explicit ElfReader(std::string_view bytes);

  size_t section_count() const { return section_count_; }
  const Elf64_Shdr& section(size_t index) const;
  size_t symbol_count() const { return symbol_count_; }
  const Elf64_Sym& symbol(size_t index) const;
  const char* Name(const Elf64_Sym& symbol) const;
  std::string_view Contents(const Elf64_Shdr& section) const;
  // The relocations that a section holds; none if it holds something else.
  std::pair<const Elf64_Rela*, size_t> Relocations(
      const Elf64_Shdr& section) const;

 private:
  template <typename T>
  const T* At(size_t offset, size_t count) const;
  void ReadSymbols(const Elf64_Shdr& table);

  const std::string_view bytes_;
  const Elf64_Shdr* sections_ = nullptr;
  size_t section_count_ = 0;
  const Elf64_Sym* symbols_ = nullptr;
  size_t symbol_count_ = 0;
  std::string_view names_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_CPU_ELF_READER_H_
