# SPDX-License-Identifier: Apache-2.0
# Compilers read the same headers for each file, for longer than they compile it.
# With IREE_PJRT_UNITY the sources of one folder, a room, are one translation
# unit; so a name without linkage stands once in its room.
function(iree_pjrt_unity target)
  if(NOT IREE_PJRT_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH room)
    cmake_path(ABSOLUTE_PATH room)
    cmake_path(RELATIVE_PATH room BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    string(REPLACE "/" "_" room "${room}")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP "${room}")
  endforeach()
endfunction()
