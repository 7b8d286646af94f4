# SPDX-License-Identifier: Apache-2.0
# What an arena takes from the system at a time lies 8 bytes off (IREE 3.11),
# which ends the process when a worker runs a program of some 220 arrays. IREE
# is compiled with a copy of the header, which this writes into `aligned`.
function(iree_pjrt_align_arenas source aligned)
  set(name iree/base/internal/arena.h)
  set(before "struct iree_arena_oversized_allocation_t* next;")
  file(READ ${source}/${name} text)
  string(REPLACE "  ${before}" "  iree_alignas(iree_max_align_t) ${before}" changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR
      "in IREE's ${name} there is no '${before}': see whether its arenas are still 8 bytes off, and mend cmake/align_arenas.cmake")
  endif()
  file(CONFIGURE OUTPUT ${aligned}/${name} CONTENT "${changed}" @ONLY)
endfunction()
