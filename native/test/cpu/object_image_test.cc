// SPDX-License-Identifier: Apache-2.0
#include "cpu/object_image.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/status.h"

namespace iree_pjrt {
namespace {

// An object with one function: double f(double x) { return callee(x); }
class TestObject {
 public:
  explicit TestObject(const char* callee)
      : names_(std::string("\0f_query\0", 9) + callee + '\0') {}

  uint32_t relocation_type = R_X86_64_PLT32;
  // Gives it a function of the callee's name, which returns its argument.
  bool adds_callee = false;
  uint64_t relocation_offset = 1;

  std::string Bytes() const {
    // jmp rel32; ret
    const std::string code("\xe9\0\0\0\0\xc3", 6);
    Elf64_Sym symbols[3] = {};
    symbols[1].st_name = 1;
    symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbols[1].st_shndx = 1;
    symbols[2].st_name = 9;
    symbols[2].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
    if (adds_callee) {
      symbols[2].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
      symbols[2].st_other = STV_HIDDEN;
      symbols[2].st_shndx = 1;
      symbols[2].st_value = 5;
    }
    const Elf64_Rela relocation = {
        relocation_offset, ELF64_R_INFO(uint64_t{2}, relocation_type), -4};

    std::string file(sizeof(Elf64_Ehdr), '\0');
    std::vector<Elf64_Shdr> sections(1);
    const auto add = [&](uint32_t type, uint64_t flags, std::string_view bytes,
                         uint32_t link, uint32_t info) {
      file.resize((file.size() + 7) / 8 * 8);
      Elf64_Shdr section = {};
      section.sh_type = type;
      section.sh_flags = flags;
      section.sh_offset = file.size();
      section.sh_size = bytes.size();
      section.sh_link = link;
      section.sh_info = info;
      section.sh_addralign = 8;
      sections.push_back(section);
      file += bytes;
    };
    add(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, 0, 0);
    add(SHT_SYMTAB, 0, View(symbols), 3, 0);
    add(SHT_STRTAB, 0, names_, 0, 0);
    add(SHT_RELA, 0, View(relocation), 2, 1);
    file.resize((file.size() + 7) / 8 * 8);

    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_type = ET_REL;
    header.e_machine = EM_X86_64;
    header.e_shoff = file.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(sections.size());
    std::memcpy(file.data(), &header, sizeof(header));
    for (const Elf64_Shdr& section : sections) file += View(section);
    return file;
  }

 private:
  template <typename T>
  static std::string_view View(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(value)};
  }

  std::string names_;
};

std::string FailureOf(const std::string& bytes) {
  try {
    ObjectImage image(bytes, "_query");
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(ObjectImage, CallsTheMathLibrary) {
  const ObjectImage image(TestObject("cbrt").Bytes(), "_query");
  const auto f = reinterpret_cast<double (*)(double)>(image.entry());
  EXPECT_DOUBLE_EQ(f(27.0), 3.0);
}

TEST(ObjectImage, PrefersTheProcessToWhatTheCompilerAdds) {
  TestObject object("cbrt");
  object.adds_callee = true;
  const ObjectImage image(object.Bytes(), "_query");
  const auto f = reinterpret_cast<double (*)(double)>(image.entry());
  EXPECT_DOUBLE_EQ(f(27.0), 3.0);
}

TEST(ObjectImage, TakesWhatTheCompilerAddsWhereTheProcessHasNone) {
  TestObject object("no_such_function");
  object.adds_callee = true;
  const ObjectImage image(object.Bytes(), "_query");
  const auto f = reinterpret_cast<double (*)(double)>(image.entry());
  EXPECT_DOUBLE_EQ(f(27.0), 27.0);
}

TEST(ObjectImage, NamesItsFunctions) {
  const ObjectImage image(TestObject("cbrt").Bytes(), "_query");
  EXPECT_TRUE(image.NameOf(image.entry()).ends_with("_query"));
  EXPECT_EQ(image.NameOf(&image), "");
}

TEST(ObjectImage, NamesASymbolThatIsNowhere) {
  EXPECT_NE(FailureOf(TestObject("no_such_function").Bytes())
                .find("'no_such_function'"),
            std::string::npos);
}

TEST(ObjectImage, RefusesOtherRelocations) {
  TestObject object("cbrt");
  object.relocation_type = R_X86_64_TPOFF32;
  EXPECT_NE(FailureOf(object.Bytes()).find("relocation of type"),
            std::string::npos);
}

TEST(ObjectImage, RefusesARelocationOutsideItsSection) {
  TestObject object("cbrt");
  object.relocation_offset = 3;
  EXPECT_NE(FailureOf(object.Bytes()).find("out of range"), std::string::npos);
}

TEST(ObjectImage, RefusesAMissingEntryPoint) {
  EXPECT_THROW(ObjectImage(TestObject("cbrt").Bytes(), "_other"), Error);
}

TEST(ObjectImage, SurvivesEveryCutAndFlip) {
  const std::string whole = TestObject("cbrt").Bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(FailureOf(whole.substr(0, size)), "") << size;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(~damaged[i]);
    FailureOf(damaged);  // may load, as not every byte matters
  }
}

}  // namespace
}  // namespace iree_pjrt
