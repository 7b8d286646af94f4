// SPDX-License-Identifier: Apache-2.0
// A client of several CPU devices, through the C API. Its framework_passes
// stands in for the Python package's: it replies with what follows kReply in
// the program, which is as the package would make it, and what is before that
// is to be shown. Helpers fail the running
// test on an unexpected error; any thread may use them.
#ifndef IREE_PJRT_TEST_DEVICE_CLIENT_H_
#define IREE_PJRT_TEST_DEVICE_CLIENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "plugin_library.h"

namespace iree_pjrt_test {

inline constexpr char kReply[] = "// partitioned\n";

// A serialized CompileOptionsProto.
struct Compilation {
  int64_t replicas = 1;
  int64_t partitions = 1;
  // Empty for no device assignment.
  std::vector<int64_t> device_ids = {};
  bool portable = false;

  std::string Proto() const;
};

// The arguments, or results, of each device.
using DeviceBuffers = std::vector<std::vector<PJRT_Buffer*>>;

struct LaunchOptions {
  std::vector<int64_t> kept = {};  // arguments that are not to be donated
  int launch_id = 0;
  PJRT_Device* device = nullptr;  // execute_device
  // The events of the devices, if asked for; the caller destroys them.
  std::vector<PJRT_Event*>* done = nullptr;
};

// A buffer that is still to be filled.
struct Promise {
  PJRT_Buffer* buffer;
  PJRT_FulfillAliasBufferCallback* token;
};

class DeviceClient {
 public:
  // `num_devices` of 0 leaves the number to the environment.
  explicit DeviceClient(int64_t num_devices = 0, Failure* failure = nullptr);
  ~DeviceClient();
  DeviceClient(const DeviceClient&) = delete;
  DeviceClient& operator=(const DeviceClient&) = delete;

  PJRT_Client* get() const { return client_; }
  const std::vector<PJRT_Device*>& devices() const { return devices_; }

  PJRT_Buffer* Put(const std::vector<float>& values, size_t device) const;
  PJRT_Buffer* Broken(int64_t size, size_t device) const;
  Promise MakePromise(int64_t size, size_t device) const;
  // Fills the promised buffer with the values of `source`.
  void Fulfill(const Promise& promise, PJRT_Buffer* source) const;

  PJRT_LoadedExecutable* Compile(const std::string& text,
                                 const Compilation& compilation = {},
                                 Failure* failure = nullptr) const;
  PJRT_LoadedExecutable* Load(const std::string& serialized,
                              const Compilation* compilation = nullptr,
                              Failure* failure = nullptr) const;

 private:
  PJRT_Client* client_ = nullptr;
  std::vector<PJRT_Device*> devices_;
};

PJRT_Memory* DefaultMemory(PJRT_Device* device);
PJRT_Device* DeviceOf(PJRT_Buffer* buffer);
PJRT_Buffer* CopyTo(PJRT_Buffer* buffer, PJRT_Device* device);
std::string Serialize(PJRT_LoadedExecutable* executable);

// The bytes of the buffer; empty if that fails.
DeviceBuffers Launch(PJRT_LoadedExecutable* executable,
                     const DeviceBuffers& arguments, size_t num_results,
                     Failure* failure = nullptr,
                     const LaunchOptions& options = {});
void Destroy(const DeviceBuffers& buffers);

}  // namespace iree_pjrt_test

#endif  // IREE_PJRT_TEST_DEVICE_CLIENT_H_
