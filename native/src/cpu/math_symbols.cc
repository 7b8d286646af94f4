// SPDX-License-Identifier: Apache-2.0
#include "cpu/math_symbols.h"

#include <dlfcn.h>

#include "base/leak_boundary.h"
#include "cpu/float_conversions.h"

namespace iree_pjrt {
namespace {

// A library is opened by name and asked by its handle: the framework may have
// opened the plugin with RTLD_LOCAL, and only a look-up by handle gets the
// newest version of a symbol.
void* Library(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }

}  // namespace

void* FindSymbol(const char* name) {
  if (void* conversion = FindFloatConversion(name)) return conversion;
  static void* const libraries[] = {Library("libm.so.6"), Library("libc.so.6")};
  for (void* library : libraries) {
    if (!library) continue;
    if (void* address = dlsym(library, name)) return address;
  }
#if defined(IREE_PJRT_ASAN)
  // The runtime that was loaded first has the functions that instrumented code
  // calls.
  return dlsym(RTLD_DEFAULT, name);
#else
  return nullptr;
#endif
}

}  // namespace iree_pjrt
