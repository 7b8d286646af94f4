# SPDX-License-Identifier: Apache-2.0
# Says at once what is missing or wrong.
function(iree_pjrt_require_file variable file)
  if(NOT EXISTS "${${variable}}/${file}")
    message(FATAL_ERROR
      "${variable} is '${${variable}}': there is no ${file} in it")
  endif()
endfunction()

iree_pjrt_require_file(IREE_PJRT_IREE_SOURCE_DIR runtime/src/iree/base/api.h)
iree_pjrt_require_file(IREE_PJRT_IREE_SOURCE_DIR runtime/version.json)
iree_pjrt_require_file(IREE_PJRT_HEADERS_DIR xla/pjrt/c/pjrt_c_api.h)
iree_pjrt_require_file(IREE_PJRT_DUCC_DIR ducc0/fft/fftnd_impl.h)

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

# The adapter (src/release) for these sources: of their release line or, for
# sources newer than all of them, the newest.
function(iree_pjrt_choose_release)
  file(READ ${IREE_PJRT_IREE_SOURCE_DIR}/runtime/version.json text)
  string(JSON version GET "${text}" package-version)
  file(GLOB folders RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/src/release
       ${CMAKE_CURRENT_SOURCE_DIR}/src/release/v*)
  list(TRANSFORM folders REPLACE "^v([0-9]+)_([0-9]+)$" "\\1.\\2" OUTPUT_VARIABLE lines)
  list(SORT lines COMPARE NATURAL)
  foreach(line IN LISTS lines)
    if(version VERSION_GREATER_EQUAL line)
      set(chosen ${line})
    endif()
  endforeach()
  list(JOIN lines ", " known)
  if(NOT chosen)
    message(FATAL_ERROR
      "the sources in ${IREE_PJRT_IREE_SOURCE_DIR} are IREE ${version}; known are ${known} (native/src/release)")
  endif()
  string(FIND ${version} ${chosen}. at)
  if(NOT at EQUAL 0)
    message(WARNING "no adapter for IREE ${version} (native/src/release has ${known}): building with that of ${chosen}")
  endif()
  string(REPLACE . _ folder v${chosen})
  set(IREE_PJRT_RELEASE ${folder} PARENT_SCOPE)
endfunction()
iree_pjrt_choose_release()
