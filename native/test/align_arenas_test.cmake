# SPDX-License-Identifier: Apache-2.0
# Aligns a header of IREE that has changed; ctest expects it to be refused.
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/align_arenas.cmake)
file(WRITE changed/iree/base/internal/arena.h "struct iree_arena_t { void* next; };\n")
iree_pjrt_align_arenas(changed aligned)
