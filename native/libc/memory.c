// SPDX-License-Identifier: Apache-2.0
// The C library's own functions over memory, which use all of a processor.
//
// zig (0.17) links its compiler_rt, one object, as soon as one function of it
// is needed, and with it plain versions of these functions: strlen and memcmp
// go byte by byte. What is defined here comes before them.
#include <stddef.h>

#if defined(__x86_64__)
#define IREE_PJRT_BASE "GLIBC_2.2.5"
#define IREE_PJRT_MEMCPY "GLIBC_2.14"
#else
#define IREE_PJRT_BASE "GLIBC_2.17"
#define IREE_PJRT_MEMCPY "GLIBC_2.17"
#endif
// A name with a version is not that of a definition here.
#define IREE_PJRT_FROM_LIBC(name, version) \
  __asm__(".symver libc_" #name ", " #name "@" version)

IREE_PJRT_FROM_LIBC(memcpy, IREE_PJRT_MEMCPY);
IREE_PJRT_FROM_LIBC(memmove, IREE_PJRT_BASE);
IREE_PJRT_FROM_LIBC(memset, IREE_PJRT_BASE);
IREE_PJRT_FROM_LIBC(memcmp, IREE_PJRT_BASE);
IREE_PJRT_FROM_LIBC(strlen, IREE_PJRT_BASE);

void* libc_memcpy(void* to, const void* from, size_t size);
void* libc_memmove(void* to, const void* from, size_t size);
void* libc_memset(void* to, int byte, size_t size);
int libc_memcmp(const void* a, const void* b, size_t size);
size_t libc_strlen(const char* text);

void* memcpy(void* restrict to, const void* restrict from, size_t size) {
  return libc_memcpy(to, from, size);
}

void* memmove(void* to, const void* from, size_t size) {
  return libc_memmove(to, from, size);
}

void* memset(void* to, int byte, size_t size) {
  return libc_memset(to, byte, size);
}

int memcmp(const void* a, const void* b, size_t size) {
  return libc_memcmp(a, b, size);
}

int bcmp(const void* a, const void* b, size_t size) {
  return libc_memcmp(a, b, size);
}

size_t strlen(const char* text) { return libc_strlen(text); }
