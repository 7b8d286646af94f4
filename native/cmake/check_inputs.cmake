# SPDX-License-Identifier: Apache-2.0
# Says at once what is missing or wrong.
function(iree_pjrt_require_file variable file)
  if(NOT EXISTS "${${variable}}/${file}")
    message(FATAL_ERROR
      "${variable} is '${${variable}}': there is no ${file} in it")
  endif()
endfunction()

iree_pjrt_require_file(IREE_PJRT_IREE_SOURCE_DIR runtime/src/iree/base/api.h)
iree_pjrt_require_file(IREE_PJRT_HEADERS_DIR xla/pjrt/c/pjrt_c_api.h)

if(NOT IREE_PJRT_STABLEHLO_VERSION MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+$")
  message(FATAL_ERROR
    "IREE_PJRT_STABLEHLO_VERSION is '${IREE_PJRT_STABLEHLO_VERSION}', not major.minor.patch")
endif()
if(NOT IREE_PJRT_IREE_VERSION)
  message(FATAL_ERROR "IREE_PJRT_IREE_VERSION is not set")
endif()
if(IREE_PJRT_DEVICE STREQUAL "cuda")
  iree_pjrt_require_file(IREE_PJRT_CUDA_HEADERS_DIR cuda.h)
elseif(NOT IREE_PJRT_DEVICE STREQUAL "cpu")
  message(FATAL_ERROR "IREE_PJRT_DEVICE is '${IREE_PJRT_DEVICE}'; known are cpu, cuda")
endif()
if(NOT IREE_PJRT_FLAVOUR MATCHES "^(release|asan|tracing)$")
  message(FATAL_ERROR "IREE_PJRT_FLAVOUR is '${IREE_PJRT_FLAVOUR}'; known are release, asan and tracing")
endif()
