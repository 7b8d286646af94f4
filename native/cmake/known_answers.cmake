# SPDX-License-Identifier: Apache-2.0
# Answers to configure checks of IREE's tree that are the same for every C++20
# compiler on linux-gnu. Asking the compiler takes over a minute with zig. They
# only concern flags that are passed to bundled benchmarks and tests, features
# of glibc, and x86-64 instruction sets that clang and gcc both know.
foreach(flag
    WALL WEXTRA WSHADOW WFLOAT_EQUAL WOLD_STYLE_CAST WCONVERSION WFORMAT_2
    WERROR WSUGGEST_OVERRIDE PEDANTIC PEDANTIC_ERRORS FSTRICT_ALIASING
    WNO_DEPRECATED_DECLARATIONS WNO_DEPRECATED WSTRICT_ALIASING)
  set(HAVE_CXX_FLAG_${flag} 1 CACHE INTERNAL "")
endforeach()
foreach(flag WSHORTEN_64_TO_32 WTHREAD_SAFETY COVERAGE)
  set(HAVE_CXX_FLAG_${flag} 0 CACHE INTERNAL "")
endforeach()
foreach(feature STD_REGEX STEADY_CLOCK PTHREAD_AFFINITY)
  set(HAVE_${feature} 1 CACHE INTERNAL "")
endforeach()
set(HAVE_GNU_POSIX_REGEX 0 CACHE INTERNAL "")
set(HAVE_POSIX_REGEX 0 CACHE INTERNAL "")
set(HAVE_LIB_RT 1 CACHE INTERNAL "")
set(CMAKE_HAVE_LIBC_PTHREAD 1 CACHE INTERNAL "")
set(IREE_HAVE_DLOPEN 1 CACHE INTERNAL "")
set(IREE_SUPPORTS_VISIBILITY_DEFAULT 1 CACHE INTERNAL "")
foreach(isa AVX2_FMA AVX512_BASE AVX512_VNNI AVX512_BF16)
  set(IREE_UK_BUILD_X86_64_${isa} 1 CACHE INTERNAL "")
endforeach()
