// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 that answers what is asked before a GPU is opened, as the
// environment says: FAKE_CUDA_VERSION, FAKE_CUDA_INIT (a result),
// FAKE_CUDA_GPUS and FAKE_CUDA_CAPABILITY (as 90). It has nothing to open a GPU
// with.
#include <cstdlib>
#include <cstring>

#include "cuda.h"

namespace {

int Number(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

}  // namespace

extern "C" {

CUresult cuDriverGetVersion(int* version) {
  *version = Number("FAKE_CUDA_VERSION", 12040);
  return CUDA_SUCCESS;
}
CUresult cuInit(unsigned int) {
  return static_cast<CUresult>(Number("FAKE_CUDA_INIT", CUDA_SUCCESS));
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error == CUDA_ERROR_NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = Number("FAKE_CUDA_GPUS", 1);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(size));
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  *bytes = size_t{1} << 30;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute what, CUdevice) {
  const int capability = Number("FAKE_CUDA_CAPABILITY", 90);
  *value = what == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
               ? capability / 10
               : capability % 10;
  return CUDA_SUCCESS;
}

}  // extern "C"
