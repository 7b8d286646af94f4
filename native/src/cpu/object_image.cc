// SPDX-License-Identifier: Apache-2.0
#include "cpu/object_image.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

#include "base/status.h"
#include "cpu/elf_reader.h"
#include "cpu/math_symbols.h"

namespace iree_pjrt {
namespace {

size_t AlignUp(size_t value, size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

bool IsLoaded(const Elf64_Shdr& section) {
  // Unwind tables serve exceptions, and generated code throws none.
  return (section.sh_flags & SHF_ALLOC) && section.sh_size > 0 &&
         section.sh_type != SHT_X86_64_UNWIND;
}

// Lays an object out and relocates it. Memory in three parts, each of whole
// pages: code and stubs, then what is only read once relocated (slots with
// addresses too), then what is written.
class ObjectPlacer {
 public:
  ObjectPlacer(std::string_view elf, Mapping& memory)
      : elf_(elf), memory_(memory), places_(elf_.section_count(), kNone) {}

  void Place() {
    FindSlots();
    LayOut();
    Map();
    CopySections();
    FillSlots();
    Relocate();
    Protect();
  }

  // The global function whose name ends in `name_suffix`; null if none does.
  void* FindFunction(std::string_view name_suffix) const {
    for (size_t i = 0; i < elf_.symbol_count(); ++i) {
      const Elf64_Sym& symbol = elf_.symbol(i);
      if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
          ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
          symbol.st_shndx != SHN_UNDEF &&
          std::string_view(elf_.Name(symbol)).ends_with(name_suffix)) {
        return Address(symbol);
      }
    }
    return nullptr;
  }

  std::map<const void*, std::string> FunctionNames() const {
    std::map<const void*, std::string> names;
    for (size_t i = 0; i < elf_.symbol_count(); ++i) {
      const Elf64_Sym& symbol = elf_.symbol(i);
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
          symbol.st_shndx != SHN_UNDEF) {
        names.try_emplace(Address(symbol), elf_.Name(symbol));
      }
    }
    return names;
  }

 private:
  enum Part { kCode, kConstant, kVariable, kPartCount };
  static constexpr size_t kNone = ~size_t{0};
  // jmp *offset(%rip), padded.
  static constexpr size_t kStubSize = 8;

  static Part PartOf(const Elf64_Shdr& section) {
    if (section.sh_flags & SHF_EXECINSTR) return kCode;
    return section.sh_flags & SHF_WRITE ? kVariable : kConstant;
  }

  template <typename Visit>
  void ForEachRelocation(Visit visit) const {
    for (size_t i = 0; i < elf_.section_count(); ++i) {
      const auto [relocations, count] = elf_.Relocations(elf_.section(i));
      if (count == 0 || !IsLoaded(elf_.section(elf_.section(i).sh_info))) {
        continue;
      }
      for (size_t k = 0; k < count; ++k) {
        visit(elf_.section(i).sh_info, relocations[k]);
      }
    }
  }

  // A slot holds the address of a symbol that is too far away for the code's
  // 32-bit offsets; a stub jumps to that address.
  void FindSlots() {
    ForEachRelocation([this](size_t, const Elf64_Rela& relocation) {
      const size_t index = ELF64_R_SYM(relocation.r_info);
      LookUp(index);
      if (IsElsewhere(index) || UsesSlot(ELF64_R_TYPE(relocation.r_info))) {
        slots_.try_emplace(index, slots_.size());
      }
    });
  }

  // Asks the process once for what it may have.
  void LookUp(size_t index) {
    const Elf64_Sym& symbol = elf_.symbol(index);
    if (!IsUndefined(symbol) && !IsAdded(symbol)) return;
    const auto [found, is_new] = found_.try_emplace(index, nullptr);
    if (is_new) found->second = FindSymbol(elf_.Name(symbol));
  }

  // The symbol in the process; null if it has none, or was not asked.
  void* Found(size_t index) const {
    const auto found = found_.find(index);
    return found == found_.end() ? nullptr : found->second;
  }

  bool IsElsewhere(size_t index) const {
    return IsUndefined(elf_.symbol(index)) || Found(index);
  }

  static bool IsUndefined(const Elf64_Sym& symbol) {
    return symbol.st_shndx == SHN_UNDEF;
  }

  // Of what an object defines, a program's own functions are local to it or
  // for everyone.
  static bool IsAdded(const Elf64_Sym& symbol) {
    return ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
           ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
           ELF64_ST_VISIBILITY(symbol.st_other) == STV_HIDDEN;
  }

  static bool UsesSlot(size_t type) {
    return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX ||
           type == R_X86_64_REX_GOTPCRELX;
  }

  void LayOut() {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_t end = 0;
    for (int part = 0; part < kPartCount; ++part) {
      begin_[part] = end = AlignUp(end, page);
      if (part == kCode) end += slots_.size() * kStubSize;
      if (part == kConstant) end += slots_.size() * sizeof(void*);
      for (size_t i = 0; i < elf_.section_count(); ++i) {
        const Elf64_Shdr& section = elf_.section(i);
        if (!IsLoaded(section) || PartOf(section) != part) continue;
        const size_t alignment = std::max<size_t>(section.sh_addralign, 1);
        if (alignment > page || section.sh_size > kMaxSize)
          ThrowDamagedObject("size");
        places_[i] = AlignUp(end, alignment);
        end = places_[i] + section.sh_size;
        if (end > kMaxSize) ThrowDamagedObject("size");
      }
    }
    begin_[kPartCount] = AlignUp(end, page);
  }

  void Map() {
    const size_t size = begin_[kPartCount];
    void* memory =
        mmap(nullptr, std::max<size_t>(size, 1), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw Error(
          PJRT_Error_Code_RESOURCE_EXHAUSTED,
          "no memory for compiled code: " + std::string(std::strerror(errno)));
    }
    memory_.data = static_cast<char*>(memory);
    memory_.size = std::max<size_t>(size, 1);
  }

  void CopySections() {
    for (size_t i = 0; i < elf_.section_count(); ++i) {
      const Elf64_Shdr& section = elf_.section(i);
      if (places_[i] == kNone || section.sh_type == SHT_NOBITS) continue;
      const std::string_view bytes = elf_.Contents(section);
      std::memcpy(memory_.data + places_[i], bytes.data(), bytes.size());
    }
  }

  char* Stub(size_t slot) const {
    return memory_.data + begin_[kCode] + slot * kStubSize;
  }
  char* Slot(size_t slot) const {
    return memory_.data + begin_[kConstant] + slot * sizeof(void*);
  }

  void FillSlots() {
    for (const auto& [index, slot] : slots_) {
      const Elf64_Sym& symbol = elf_.symbol(index);
      void* address = Found(index);
      if (!address && !IsUndefined(symbol)) address = Address(symbol);
      if (!address && ELF64_ST_BIND(symbol.st_info) != STB_WEAK) {
        throw Error(PJRT_Error_Code_NOT_FOUND,
                    "compiled code calls '" + std::string(elf_.Name(symbol)) +
                        "', which is in no library of this process");
      }
      std::memcpy(Slot(slot), &address, sizeof(address));
      const int32_t offset =
          static_cast<int32_t>(Slot(slot) - (Stub(slot) + 6));
      std::memcpy(Stub(slot), "\xff\x25", 2);
      std::memcpy(Stub(slot) + 2, &offset, sizeof(offset));
    }
  }

  char* Address(const Elf64_Sym& symbol) const {
    if (symbol.st_shndx == SHN_ABS) {
      return reinterpret_cast<char*>(symbol.st_value);
    }
    const Elf64_Shdr& section = elf_.section(symbol.st_shndx);
    const size_t place = places_[symbol.st_shndx];
    if (place == kNone || symbol.st_value > section.sh_size) {
      ThrowDamagedObject("symbol in a section that is not there");
    }
    return memory_.data + place + symbol.st_value;
  }

  // What a relocation against the symbol `index` refers to.
  char* Target(size_t index, size_t type) const {
    const auto slot = slots_.find(index);
    if (slot == slots_.end()) {
      return Address(elf_.symbol(index));
    }
    if (UsesSlot(type)) return Slot(slot->second);
    if (!IsElsewhere(index)) return Address(elf_.symbol(index));
    if (type != R_X86_64_64) return Stub(slot->second);
    char* address;
    std::memcpy(&address, Slot(slot->second), sizeof(address));
    return address;
  }

  void Relocate() {
    ForEachRelocation([this](size_t section, const Elf64_Rela& relocation) {
      const size_t type = ELF64_R_TYPE(relocation.r_info);
      const size_t width = type == R_X86_64_64 ? 8 : 4;
      const size_t size = elf_.section(section).sh_size;
      if (relocation.r_offset > size || size - relocation.r_offset < width) {
        ThrowDamagedObject("relocation out of range");
      }
      char* where = memory_.data + places_[section] + relocation.r_offset;
      const auto value = reinterpret_cast<int64_t>(
                             Target(ELF64_R_SYM(relocation.r_info), type)) +
                         relocation.r_addend;
      Write(where, type, value);
    });
  }

  static void Write(char* where, size_t type, int64_t value) {
    switch (type) {
      case R_X86_64_64:
        std::memcpy(where, &value, sizeof(value));
        return;
      case R_X86_64_PC32:
      case R_X86_64_PLT32:
      case R_X86_64_GOTPCREL:
      case R_X86_64_GOTPCRELX:
      case R_X86_64_REX_GOTPCRELX: {
        const int64_t offset = value - reinterpret_cast<int64_t>(where);
        const auto narrow = static_cast<int32_t>(offset);
        if (narrow != offset) ThrowDamagedObject("relocation too far");
        std::memcpy(where, &narrow, sizeof(narrow));
        return;
      }
      default:
        ThrowUnimplemented("the compiled object has a relocation of type " +
                           std::to_string(type));
    }
  }

  void Protect() {
    constexpr std::array<int, kPartCount> kProtection = {
        PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
    for (int part = 0; part < kPartCount; ++part) {
      const size_t size = begin_[part + 1] - begin_[part];
      if (size > 0 &&
          mprotect(memory_.data + begin_[part], size, kProtection[part]) != 0) {
        throw Error(PJRT_Error_Code_PERMISSION_DENIED,
                    "the system does not let compiled code run: " +
                        std::string(std::strerror(errno)));
      }
    }
  }

  static constexpr size_t kMaxSize = size_t{1} << 30;

  const ElfReader elf_;
  Mapping& memory_;
  std::vector<size_t> places_;
  std::map<size_t, void*> found_;   // symbol -> what the process has, or null
  std::map<size_t, size_t> slots_;  // symbol -> number
  size_t begin_[kPartCount + 1] = {};
};

}  // namespace

Mapping::~Mapping() {
  if (data) munmap(data, size);
}

ObjectImage::ObjectImage(std::string_view elf, std::string_view entry_suffix) {
  const std::string aligned(elf);
  ObjectPlacer placer(aligned, memory_);
  placer.Place();
  entry_ = placer.FindFunction(entry_suffix);
  if (!entry_) ThrowDamagedObject("no entry point");
  names_ = placer.FunctionNames();
}

std::string_view ObjectImage::NameOf(const void* function) const {
  const auto found = names_.find(function);
  return found == names_.end() ? std::string_view() : found->second;
}

}  // namespace iree_pjrt
