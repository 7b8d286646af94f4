// SPDX-License-Identifier: Apache-2.0
// The built plugin as a framework uses it: opened with dlopen, driven through
// the C API alone. Helpers fail the running test on an unexpected error.
#ifndef IREE_PJRT_TEST_PLUGIN_LIBRARY_H_
#define IREE_PJRT_TEST_PLUGIN_LIBRARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt_test {

const PJRT_Api& Api();

// Zeroed arguments with their size set.
template <typename Args>
Args New() {
  Args args{};
  args.struct_size = sizeof(Args);
  return args;
}

struct Failure {
  PJRT_Error_Code code = PJRT_Error_Code_OK;
  std::string message;
  explicit operator bool() const { return code != PJRT_Error_Code_OK; }
};
// Consumes `error`.
Failure ToFailure(PJRT_Error* error);
void ExpectOk(PJRT_Error* error);
// Consumes `error`, which goes to `failure`; without `failure` the test fails.
bool Succeeded(PJRT_Error* error, Failure* failure);
// Destroys the event.
Failure Await(PJRT_Event* event);

// One client for all tests of the process.
PJRT_Client* SharedClient();
PJRT_Device* FirstDevice();

struct HostArray {
  PJRT_Buffer_Type type;
  std::vector<int64_t> dims;
  std::vector<int64_t> byte_strides;  // empty: row major
};
PJRT_Buffer* ToDevice(const void* data, const HostArray& array);
// The bytes in row-major order; `failure` gets the event's error.
std::string ToHost(PJRT_Buffer* buffer, Failure* failure = nullptr);
// The address of the bytes, once they are there.
uintptr_t Address(PJRT_Buffer* buffer);
bool IsDeleted(PJRT_Buffer* buffer);
void Destroy(PJRT_Buffer* buffer);

// The program of a text, which must outlive it.
PJRT_Program MlirProgram(std::string& code);
PJRT_LoadedExecutable* Compile(const std::string& mlir,
                               Failure* failure = nullptr);
// `kept`: inputs that are not to be donated.
std::vector<PJRT_Buffer*> Execute(PJRT_LoadedExecutable* executable,
                                  std::vector<PJRT_Buffer*> arguments,
                                  size_t num_outputs,
                                  Failure* failure = nullptr,
                                  const std::vector<int64_t>& kept = {});
void Destroy(PJRT_LoadedExecutable* executable);
void Destroy(PJRT_Event* event);

std::vector<float> Floats(const std::string& bytes);

}  // namespace iree_pjrt_test

#endif  // IREE_PJRT_TEST_PLUGIN_LIBRARY_H_
