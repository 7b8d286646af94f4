// SPDX-License-Identifier: Apache-2.0
// The built plugin, opened with dlopen and used through the C API alone.
#ifndef IREE_PJRT_FUZZ_PLUGIN_H_
#define IREE_PJRT_FUZZ_PLUGIN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt_fuzz {

struct HostArray {
  PJRT_Buffer_Type type;
  std::vector<int64_t> dims;
  std::vector<int64_t> byte_strides;
};

// One client, for the rest of the process. Methods return whether the plugin
// took the input, or throw std::runtime_error where it had to.
class Plugin {
 public:
  explicit Plugin(const std::string& library);

  bool Compile(const std::string& program, const std::string& options);
  // Loads the executable and, if `run`, runs it with one input f32[2,3].
  bool Load(const std::string& serialized, bool run);
  // `data` must hold what `array` describes.
  bool Transfer(const void* data, const HostArray& array);

  std::string Serialize(const std::string& program);

 private:
  bool Ok(PJRT_Error* error);
  bool Await(PJRT_Event* event);
  PJRT_LoadedExecutable* CompileOrNull(const std::string& program,
                                       const std::string& options);
  void Run(PJRT_LoadedExecutable* executable);
  bool Read(PJRT_Buffer* buffer);
  PJRT_Buffer* BufferOrNull(const void* data, const HostArray& array);

  const PJRT_Api* api_;
  PJRT_Client* client_;
  PJRT_Device* device_;
};

}  // namespace iree_pjrt_fuzz

#endif  // IREE_PJRT_FUZZ_PLUGIN_H_
