# SPDX-License-Identifier: Apache-2.0
# The shipped library is stripped; its debug information is kept beside it.
#
# zig's objcopy cannot do either, so the linker does: the same objects are
# linked once more with everything in, as <plugin>.so.debug. Both carry the same
# build id (a hash of what identifies this build), by which gdb and others find
# the file with the symbols.
string(SHA1 iree_pjrt_build_id
  "${IREE_PJRT_VERSION} ${IREE_PJRT_IREE_VERSION} ${IREE_PJRT_DEVICE} ${IREE_PJRT_FLAVOUR}")
# By a script, since with --strip-all zig compiles its C++ library once more,
# which takes a minute.
set(iree_pjrt_strip ${CMAKE_CURRENT_LIST_DIR}/strip.lds)
target_link_options(${plugin} PRIVATE -Wl,-T,${iree_pjrt_strip})
set_property(TARGET ${plugin} APPEND PROPERTY LINK_DEPENDS ${iree_pjrt_strip})

add_library(${plugin}_debug SHARED)
set_target_properties(${plugin}_debug PROPERTIES
  PREFIX "" OUTPUT_NAME ${plugin} SUFFIX ".so.debug" LINKER_LANGUAGE CXX
  LINK_DEPENDS ${exports})
target_link_libraries(${plugin}_debug PRIVATE iree_pjrt_objects)
target_link_options(${plugin}_debug PRIVATE
  -Wl,--no-undefined -Wl,--gc-sections -Wl,--version-script=${exports})
target_link_options(iree-pjrt-compiled PRIVATE -Wl,-T,${iree_pjrt_strip})
foreach(target ${plugin} ${plugin}_debug)
  target_link_options(${target} PRIVATE
    -Wl,-soname,${plugin}.so -Wl,--build-id=0x${iree_pjrt_build_id})
endforeach()

install(TARGETS ${plugin} LIBRARY DESTINATION .)
install(TARGETS iree-pjrt-compiled RUNTIME DESTINATION .)
install(FILES $<TARGET_FILE:${plugin}_debug> DESTINATION . OPTIONAL)
