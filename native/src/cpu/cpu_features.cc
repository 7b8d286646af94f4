// SPDX-License-Identifier: Apache-2.0
#include "cpu/cpu_features.h"

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

// Which registers the system saves: without that, AVX is there and unusable.
uint32_t EnabledState() {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  __get_cpuid(1, &eax, &ebx, &ecx, &edx);
  constexpr uint32_t kOsxsave = 1u << 27;
  if (!(ecx & kOsxsave)) return 0;
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
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx);
  return (ebx & kAvx512) && (EnabledState() & kSaved) == kSaved;
#else
  return true;
#endif
}

const std::string& CpuFeatures() {
  static const auto& features = *new std::string(Read());
  return features;
}

}  // namespace iree_pjrt
