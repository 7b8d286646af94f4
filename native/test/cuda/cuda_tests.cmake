# SPDX-License-Identifier: Apache-2.0
# What the library for GPUs does where there is none.
add_library(fake_cuda SHARED cuda/fake_cuda.cc)
set_target_properties(fake_cuda PROPERTIES
  OUTPUT_NAME cuda SUFFIX ".so.1" LIBRARY_OUTPUT_DIRECTORY fake_cuda)
target_include_directories(fake_cuda SYSTEM PRIVATE ${IREE_PJRT_CUDA_HEADERS_DIR})

add_executable(cuda_test cuda/cuda_test.cc plugin_library.cc)
target_include_directories(cuda_test SYSTEM PRIVATE ${IREE_PJRT_HEADERS_DIR})
target_link_libraries(cuda_test PRIVATE gtest_main ${CMAKE_DL_LIBS})
target_compile_definitions(cuda_test PRIVATE
  IREE_PJRT_PLUGIN_PATH="$<TARGET_FILE:${plugin}>")
add_dependencies(cuda_test ${plugin} fake_cuda)
gtest_discover_tests(cuda_test DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 120
  ENVIRONMENT LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/fake_cuda)
