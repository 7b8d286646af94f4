// SPDX-License-Identifier: Apache-2.0
#include "cuda/driver.h"

#include <dlfcn.h>

#include "base/platform.h"
#include "base/status.h"
#include "cuda.h"
#include "iree/base/internal/dynamic_library.h"

namespace iree_pjrt {
namespace {

// A driver installs the first; its headers come with the second.
constexpr const char* kLibraries[] = {"libcuda.so.1", "libcuda.so"};
// The version that IREE's CUDA driver asks of the library.
constexpr int kOldestCuda = 11030;

std::string CudaVersion(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

[[noreturn]] void ThrowNoGpu(int64_t ordinal, const std::string& found) {
  throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
              std::string(kPlatformName) + " looked for " + kLibraries[0] +
                  ", a driver for CUDA " + CudaVersion(kOldestCuda) +
                  " or newer and GPU " + std::to_string(ordinal) + "; found " +
                  found);
}

// Asks the driver one question after the other; the first that fails ends in
// the message.
class Inquiry {
 public:
  explicit Inquiry(int64_t ordinal) : ordinal_(ordinal) {
    void* library = nullptr;
    for (const char* name : kLibraries) {
      if (!library) library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    }
    if (!library) {
      // The error is that of the last name; what counts is the first name's.
      dlopen(kLibraries[0], RTLD_LAZY | RTLD_LOCAL);
      const char* why = dlerror();
      ThrowNoGpu(ordinal, std::string("no such library (") +
                              (why ? why : "no reason given") +
                              "): is an NVIDIA driver installed?");
    }
    library_ = library;
    found_ = kLibraries[0];
  }

  // Throws unless the function is there and succeeds.
  template <typename Function, typename... Args>
  void Call(const char* name, Args... args) {
    auto* function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (!function) {
      ThrowNoGpu(ordinal_, found_ + ", which lacks the function " + name);
    }
    const CUresult result = function(args...);
    if (result == CUDA_SUCCESS) return;
    ThrowNoGpu(ordinal_,
               found_ + ", where " + name + " says " + NameOf(result));
  }

  void Found(const std::string& what) { found_ += what; }
  [[noreturn]] void Fail(const std::string& what) const {
    ThrowNoGpu(ordinal_, found_ + what);
  }

 private:
  std::string NameOf(CUresult result) const {
    const char* text = nullptr;
    auto* name = reinterpret_cast<decltype(&cuGetErrorName)>(
        dlsym(library_, "cuGetErrorName"));
    if (name && name(result, &text) == CUDA_SUCCESS && text) return text;
    return "error " + std::to_string(result);
  }

  const int64_t ordinal_;
  void* library_ = nullptr;
  std::string found_;
};

int Attribute(Inquiry& inquiry, CUdevice device, CUdevice_attribute what) {
  int value = 0;
  inquiry.Call<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute", &value,
                                               what, device);
  return value;
}

}  // namespace

Gpu FindGpu(int64_t ordinal) {
  Inquiry inquiry(ordinal);
  int version = 0;
  inquiry.Call<decltype(cuDriverGetVersion)>("cuDriverGetVersion", &version);
  inquiry.Found(" for CUDA " + CudaVersion(version));
  if (version < kOldestCuda) inquiry.Fail("");
  inquiry.Call<decltype(cuInit)>("cuInit", 0u);
  int count = 0;
  inquiry.Call<decltype(cuDeviceGetCount)>("cuDeviceGetCount", &count);
  if (ordinal >= count) {
    inquiry.Fail(", with " + std::to_string(count) + " GPU(s)");
  }
  CUdevice device = 0;
  inquiry.Call<decltype(cuDeviceGet)>("cuDeviceGet", &device,
                                      static_cast<int>(ordinal));
  char name[128] = "";
  inquiry.Call<decltype(cuDeviceGetName)>(
      "cuDeviceGetName", name, static_cast<int>(sizeof(name)), device);
  size_t bytes = 0;
  inquiry.Call<decltype(cuDeviceTotalMem)>("cuDeviceTotalMem_v2", &bytes,
                                           device);
  return {
      name,
      Attribute(inquiry, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
      Attribute(inquiry, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
      static_cast<int64_t>(bytes)};
}

}  // namespace iree_pjrt

// IREE's CUDA driver calls this instead of opening libraries itself
// (cmake/iree.cmake): it only knows libcuda.so, which a driver alone does not
// install.
extern "C" iree_status_t iree_pjrt_load_library(
    iree_host_size_t count, const char* const* names,
    iree_dynamic_library_flags_t flags, iree_allocator_t allocator,
    iree_dynamic_library_t** out_library) {
  using iree_pjrt::kLibraries;
  if (count == 1 && std::string_view(names[0]) == kLibraries[1]) {
    return iree_dynamic_library_load_from_files(2, kLibraries, flags, allocator,
                                                out_library);
  }
  return iree_dynamic_library_load_from_files(count, names, flags, allocator,
                                              out_library);
}
