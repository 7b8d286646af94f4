// SPDX-License-Identifier: Apache-2.0
// A relocatable ELF object of the compiler (x86-64), placed in memory and
// relocated: the linker that a program needs, without a linker. Undefined
// symbols are looked up in the process's C and math libraries, and so is what
// the compiler adds to each object (`memcpy`), in case they have it.
//
// The code stays mapped as long as the image lives. Immutable after
// construction, so any thread may run it.
#ifndef IREE_PJRT_CPU_OBJECT_IMAGE_H_
#define IREE_PJRT_CPU_OBJECT_IMAGE_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace iree_pjrt {

// Whether this build can load objects.
#if defined(__x86_64__)
inline constexpr bool kLoadsObjects = true;
#else
inline constexpr bool kLoadsObjects = false;
#endif

// Pages of this process.
struct Mapping {
  Mapping() = default;
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  char* data = nullptr;
  size_t size = 0;
};

class ObjectImage {
 public:
  // Copies what it needs of `elf`. Throws INVALID_ARGUMENT for bytes that are
  // no such object or have no global function whose name ends in
  // `entry_suffix`, NOT_FOUND with the name of a symbol that nothing defines.
  ObjectImage(std::string_view elf, std::string_view entry_suffix);

  void* entry() const { return entry_; }
  // The symbol of a function; empty if there is none.
  std::string_view NameOf(const void* function) const;

 private:
  Mapping memory_;
  std::map<const void*, std::string> names_;
  void* entry_ = nullptr;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_CPU_OBJECT_IMAGE_H_
