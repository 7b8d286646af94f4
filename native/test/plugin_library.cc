// SPDX-License-Identifier: Apache-2.0
#include "plugin_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace iree_pjrt_test {

const PJRT_Api& Api() {
  static const PJRT_Api* api = [] {
    void* library = dlopen(IREE_PJRT_PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::abort();
    }
    return reinterpret_cast<const PJRT_Api* (*)()>(
        dlsym(library, "GetPjrtApi"))();
  }();
  return *api;
}

Failure ToFailure(PJRT_Error* error) {
  if (!error) return {};
  auto message = New<PJRT_Error_Message_Args>();
  message.error = error;
  Api().PJRT_Error_Message(&message);
  auto code = New<PJRT_Error_GetCode_Args>();
  code.error = error;
  EXPECT_EQ(Api().PJRT_Error_GetCode(&code), nullptr);
  Failure failure{code.code, {message.message, message.message_size}};
  auto destroy = New<PJRT_Error_Destroy_Args>();
  destroy.error = error;
  Api().PJRT_Error_Destroy(&destroy);
  return failure;
}

void ExpectOk(PJRT_Error* error) {
  const Failure failure = ToFailure(error);
  EXPECT_FALSE(failure) << failure.message;
}

bool Succeeded(PJRT_Error* error, Failure* failure) {
  const Failure found = ToFailure(error);
  if (failure) {
    *failure = found;
  } else {
    EXPECT_FALSE(found) << found.message;
  }
  return !found;
}

Failure Await(PJRT_Event* event) {
  auto args = New<PJRT_Event_Await_Args>();
  args.event = event;
  const Failure failure = ToFailure(Api().PJRT_Event_Await(&args));
  Destroy(event);
  return failure;
}

PJRT_Client* SharedClient() {
  static PJRT_Client* client = [] {
    auto args = New<PJRT_Client_Create_Args>();
    ExpectOk(Api().PJRT_Client_Create(&args));
    return args.client;
  }();
  return client;
}

PJRT_Device* FirstDevice() {
  auto args = New<PJRT_Client_AddressableDevices_Args>();
  args.client = SharedClient();
  ExpectOk(Api().PJRT_Client_AddressableDevices(&args));
  return args.addressable_devices[0];
}

PJRT_Buffer* ToDevice(const void* data, const HostArray& array) {
  auto args = New<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = SharedClient();
  args.data = data;
  args.type = array.type;
  args.dims = array.dims.data();
  args.num_dims = array.dims.size();
  args.byte_strides = array.byte_strides.data();
  args.num_byte_strides = array.byte_strides.size();
  args.device = FirstDevice();
  if (!Succeeded(Api().PJRT_Client_BufferFromHostBuffer(&args), nullptr)) {
    return nullptr;
  }
  EXPECT_FALSE(Await(args.done_with_host_buffer));
  return args.buffer;
}

std::string ToHost(PJRT_Buffer* buffer, Failure* failure) {
  auto args = New<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  if (!Succeeded(Api().PJRT_Buffer_ToHostBuffer(&args), failure)) return {};
  std::string bytes(args.dst_size, '\0');
  args.dst = bytes.data();
  if (!Succeeded(Api().PJRT_Buffer_ToHostBuffer(&args), failure)) return {};
  const Failure read = Await(args.event);
  if (failure) {
    *failure = read;
  } else {
    EXPECT_FALSE(read) << read.message;
  }
  return bytes;
}

void Destroy(PJRT_Buffer* buffer) {
  auto args = New<PJRT_Buffer_Destroy_Args>();
  args.buffer = buffer;
  ExpectOk(Api().PJRT_Buffer_Destroy(&args));
}

uintptr_t Address(PJRT_Buffer* buffer) {
  auto args = New<PJRT_Buffer_UnsafePointer_Args>();
  args.buffer = buffer;
  ExpectOk(Api().PJRT_Buffer_UnsafePointer(&args));
  return args.buffer_pointer;
}

bool IsDeleted(PJRT_Buffer* buffer) {
  auto args = New<PJRT_Buffer_IsDeleted_Args>();
  args.buffer = buffer;
  ExpectOk(Api().PJRT_Buffer_IsDeleted(&args));
  return args.is_deleted;
}

PJRT_Program MlirProgram(std::string& code) {
  auto program = New<PJRT_Program>();
  program.code = code.data();
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = 4;
  return program;
}

PJRT_LoadedExecutable* Compile(const std::string& mlir, Failure* failure) {
  std::string code = mlir;
  PJRT_Program program = MlirProgram(code);
  auto args = New<PJRT_Client_Compile_Args>();
  args.client = SharedClient();
  args.program = &program;
  return Succeeded(Api().PJRT_Client_Compile(&args), failure) ? args.executable
                                                              : nullptr;
}

std::vector<PJRT_Buffer*> Execute(PJRT_LoadedExecutable* executable,
                                  std::vector<PJRT_Buffer*> arguments,
                                  size_t num_outputs, Failure* failure,
                                  const std::vector<int64_t>& kept) {
  auto options = New<PJRT_ExecuteOptions>();
  options.non_donatable_input_indices = kept.data();
  options.num_non_donatable_input_indices = kept.size();
  std::vector<PJRT_Buffer*> outputs(num_outputs);
  PJRT_Buffer* const* argument_list = arguments.data();
  PJRT_Buffer** output_list = outputs.data();
  auto args = New<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = &argument_list;
  args.num_devices = 1;
  args.num_args = arguments.size();
  args.output_lists = &output_list;
  if (!Succeeded(Api().PJRT_LoadedExecutable_Execute(&args), failure))
    return {};
  return outputs;
}

void Destroy(PJRT_Event* event) {
  auto args = New<PJRT_Event_Destroy_Args>();
  args.event = event;
  ExpectOk(Api().PJRT_Event_Destroy(&args));
}

void Destroy(PJRT_LoadedExecutable* executable) {
  auto args = New<PJRT_LoadedExecutable_Destroy_Args>();
  args.executable = executable;
  ExpectOk(Api().PJRT_LoadedExecutable_Destroy(&args));
}

std::vector<float> Floats(const std::string& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace iree_pjrt_test
