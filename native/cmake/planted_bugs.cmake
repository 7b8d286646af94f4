# SPDX-License-Identifier: Apache-2.0
# The plugin with bugs that a client option sets off: proof that a flavour with
# a sanitizer reports them. A library of its own, from the same objects; nothing
# of it is in the one that is shipped.
add_library(${plugin}_planted SHARED EXCLUDE_FROM_ALL test/planted_bugs.cc)
set_target_properties(${plugin}_planted PROPERTIES
  PREFIX "" SUFFIX ".so" LINKER_LANGUAGE CXX LINK_DEPENDS ${exports})
target_link_libraries(${plugin}_planted PRIVATE iree_pjrt_objects)
target_link_options(${plugin}_planted PRIVATE
  -Wl,--gc-sections -Wl,--version-script=${exports}
  # The table of functions gets the one of planted_bugs.cc.
  -Wl,--wrap=_ZN9iree_pjrt12ClientCreateER23PJRT_Client_Create_Args)
