// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_features.h"

#include <cstdint>
#include <cstdio>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

namespace iree_pjrt {
namespace {

void Append(std::string& text, uint32_t word) {
  char hex[9];
  std::snprintf(hex, sizeof(hex), "%08x", word);
  text += hex;
}

#if defined(__x86_64__)

// Appends the registers of a leaf, as far as they are the same on every core.
void AppendLeaf(std::string& text, uint32_t leaf, uint32_t subleaf,
                bool with_ebx) {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  __get_cpuid_count(leaf, subleaf, &eax, &ebx, &ecx, &edx);
  Append(text, eax);
  if (with_ebx) Append(text, ebx);
  Append(text, ecx);
  Append(text, edx);
}

struct Registers {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers LeafOf(uint32_t leaf) {
  Registers found;
  __get_cpuid_count(leaf, 0, &found.eax, &found.ebx, &found.ecx, &found.edx);
  return found;
}

bool HasAll(uint32_t bits, uint32_t wanted) {
  return (bits & wanted) == wanted;
}

// Which registers the system saves: without that, AVX is there and unusable.
uint32_t EnabledState() {
  constexpr uint32_t kOsxsave = 1u << 27;
  if (!HasAll(LeafOf(1).ecx, kOsxsave)) return 0;
  uint32_t eax = 0, edx = 0;
  __asm__("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return eax;
}

std::string Read() {
  std::string text = "x86-64:";
  AppendLeaf(text, 0, 0, true);
  // ebx of leaf 1 holds the number of the core.
  AppendLeaf(text, 1, 0, false);
  AppendLeaf(text, 7, 0, true);
  AppendLeaf(text, 7, 1, true);
  AppendLeaf(text, 0x80000001, 0, true);
  Append(text, EnabledState());
  return text;
}

#else

std::string Read() {
  std::string text = "hwcap:";
  Append(text, static_cast<uint32_t>(getauxval(AT_HWCAP)));
  Append(text, static_cast<uint32_t>(getauxval(AT_HWCAP2)));
  return text;
}

#endif

}  // namespace

bool HasWideVectors() {
#if defined(__x86_64__)
  constexpr uint32_t kAvx512 = 1u << 16;
  constexpr uint32_t kSaved = 0xe6;  // all registers of AVX-512, by the system
  return HasAll(LeafOf(7).ebx, kAvx512) && HasAll(EnabledState(), kSaved);
#else
  return true;
#endif
}

bool IsX86V3() {
#if defined(__x86_64__)
  constexpr uint32_t kFmaMovbeF16c = 1u << 12 | 1u << 22 | 1u << 29;
  constexpr uint32_t kBmiAvx2Bmi2 = 1u << 3 | 1u << 5 | 1u << 8;
  constexpr uint32_t kLzcnt = 1u << 5;
  constexpr uint32_t kSaved = 6;
  return HasAll(LeafOf(1).ecx, kFmaMovbeF16c) &&
         HasAll(LeafOf(7).ebx, kBmiAvx2Bmi2) &&
         HasAll(LeafOf(0x80000001).ecx, kLzcnt) &&
         HasAll(EnabledState(), kSaved);
#else
  return false;
#endif
}

const std::string& CpuFeatures() {
  static const auto& features = *new std::string(Read());
  return features;
}

}  // namespace iree_pjrt
