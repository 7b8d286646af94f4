// SPDX-License-Identifier: Apache-2.0
#include "device_client.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

#include "base/wire.h"
#include "program/compile_options.h"
#include "program/framework_passes.h"

namespace iree_pjrt_test {
namespace {

void ReplyWithTheRest(const char* artifact, size_t size, int64_t, int64_t,
                      iree_pjrt_reply_fn reply, void* reply_ctx) {
  const std::string_view text(artifact, size);
  const size_t at = text.find(kReply);
  if (at == std::string_view::npos) {
    constexpr std::string_view kComplaint = "there is no reply in it";
    reply(reply_ctx, 0, kComplaint.data(), kComplaint.size());
    return;
  }
  reply(reply_ctx, 2, text.data(), at);
  const std::string_view rest = text.substr(at + sizeof(kReply) - 1);
  reply(reply_ctx, 1, rest.data(), rest.size());
}

PJRT_NamedValue Integer(const char* name, int64_t number) {
  auto value = New<PJRT_NamedValue>();
  value.name = name;
  value.name_size = std::strlen(name);
  value.type = PJRT_NamedValue_kInt64;
  value.int64_value = number;
  value.value_size = 1;
  return value;
}

}  // namespace

std::string Compilation::Proto() const {
  iree_pjrt::WireWriter build;
  build.Number(4, replicas);
  build.Number(5, partitions);
  if (!device_ids.empty()) {
    build.Bytes(9, iree_pjrt::SerializeDeviceAssignment(replicas, partitions,
                                                        device_ids));
  }
  iree_pjrt::WireWriter options;
  options.Bytes(3, build.Take());
  if (portable) options.Number(4, 1);
  return options.Take();
}

DeviceClient::DeviceClient(int64_t num_devices, Failure* failure) {
  std::vector<PJRT_NamedValue> options = {Integer(
      "framework_passes",
      static_cast<int64_t>(reinterpret_cast<uintptr_t>(&ReplyWithTheRest)))};
  if (num_devices != 0) {
    options.push_back(Integer("num_devices", num_devices));
  }
  auto args = New<PJRT_Client_Create_Args>();
  args.create_options = options.data();
  args.num_options = options.size();
  if (!Succeeded(Api().PJRT_Client_Create(&args), failure)) return;
  client_ = args.client;
  auto list = New<PJRT_Client_AddressableDevices_Args>();
  list.client = client_;
  ExpectOk(Api().PJRT_Client_AddressableDevices(&list));
  devices_.assign(list.addressable_devices,
                  list.addressable_devices + list.num_addressable_devices);
}

DeviceClient::~DeviceClient() {
  if (!client_) return;
  auto args = New<PJRT_Client_Destroy_Args>();
  args.client = client_;
  ExpectOk(Api().PJRT_Client_Destroy(&args));
}

PJRT_Buffer* DeviceClient::Put(const std::vector<float>& values,
                               size_t device) const {
  const auto size = static_cast<int64_t>(values.size());
  auto args = New<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = client_;
  args.data = values.data();
  args.type = PJRT_Buffer_Type_F32;
  args.dims = &size;
  args.num_dims = 1;
  args.device = devices_.at(device);
  ExpectOk(Api().PJRT_Client_BufferFromHostBuffer(&args));
  EXPECT_FALSE(Await(args.done_with_host_buffer));
  return args.buffer;
}

PJRT_Buffer* DeviceClient::Broken(int64_t size, size_t device) const {
  auto args = New<PJRT_Client_CreateErrorBuffer_Args>();
  args.client = client_;
  args.error_code = PJRT_Error_Code_DATA_LOSS;
  args.error_message = "lost it";
  args.error_message_size = 7;
  args.shape_dims = &size;
  args.shape_num_dims = 1;
  args.shape_element_type = PJRT_Buffer_Type_F32;
  args.memory = DefaultMemory(devices_.at(device));
  ExpectOk(Api().PJRT_Client_CreateErrorBuffer(&args));
  return args.buffer;
}

Promise DeviceClient::MakePromise(int64_t size, size_t device) const {
  auto args = New<PJRT_Client_CreateAliasBuffer_Args>();
  args.client = client_;
  args.memory = DefaultMemory(devices_.at(device));
  args.shape_dims = &size;
  args.shape_num_dims = 1;
  args.shape_element_type = PJRT_Buffer_Type_F32;
  ExpectOk(Api().PJRT_Client_CreateAliasBuffer(&args));
  return {args.alias_buffer, args.fulfill_alias_buffer_cb};
}

void DeviceClient::Fulfill(const Promise& promise, PJRT_Buffer* source) const {
  auto args = New<PJRT_Client_FulfillAliasBuffer_Args>();
  args.client = client_;
  args.buffer = source;
  args.fulfill_alias_buffer_cb = promise.token;
  ExpectOk(Api().PJRT_Client_FulfillAliasBuffer(&args));
}

PJRT_LoadedExecutable* DeviceClient::Compile(const std::string& text,
                                             const Compilation& compilation,
                                             Failure* failure) const {
  const std::string options = compilation.Proto();
  std::string code = text;
  PJRT_Program program = MlirProgram(code);
  auto args = New<PJRT_Client_Compile_Args>();
  args.client = client_;
  args.program = &program;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  return Succeeded(Api().PJRT_Client_Compile(&args), failure) ? args.executable
                                                              : nullptr;
}

PJRT_LoadedExecutable* DeviceClient::Load(const std::string& serialized,
                                          const Compilation* compilation,
                                          Failure* failure) const {
  const std::string options = compilation ? compilation->Proto() : "";
  auto args = New<PJRT_Executable_DeserializeAndLoad_Args>();
  args.client = client_;
  args.serialized_executable = serialized.data();
  args.serialized_executable_size = serialized.size();
  if (compilation) {
    args.overridden_serialized_compile_options = options.data();
    args.overridden_serialized_compile_options_size = options.size();
  }
  return Succeeded(Api().PJRT_Executable_DeserializeAndLoad(&args), failure)
             ? args.loaded_executable
             : nullptr;
}

PJRT_Memory* DefaultMemory(PJRT_Device* device) {
  auto args = New<PJRT_Device_DefaultMemory_Args>();
  args.device = device;
  ExpectOk(Api().PJRT_Device_DefaultMemory(&args));
  return args.memory;
}

PJRT_Device* DeviceOf(PJRT_Buffer* buffer) {
  auto args = New<PJRT_Buffer_Device_Args>();
  args.buffer = buffer;
  ExpectOk(Api().PJRT_Buffer_Device(&args));
  return args.device;
}

PJRT_Buffer* CopyTo(PJRT_Buffer* buffer, PJRT_Device* device) {
  auto args = New<PJRT_Buffer_CopyToDevice_Args>();
  args.buffer = buffer;
  args.dst_device = device;
  ExpectOk(Api().PJRT_Buffer_CopyToDevice(&args));
  return args.dst_buffer;
}

std::string Serialize(PJRT_LoadedExecutable* executable) {
  auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = executable;
  ExpectOk(Api().PJRT_LoadedExecutable_GetExecutable(&get));
  auto args = New<PJRT_Executable_Serialize_Args>();
  args.executable = get.executable;
  ExpectOk(Api().PJRT_Executable_Serialize(&args));
  std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_executable_deleter(args.serialized_executable);
  auto destroy = New<PJRT_Executable_Destroy_Args>();
  destroy.executable = get.executable;
  ExpectOk(Api().PJRT_Executable_Destroy(&destroy));
  return bytes;
}

DeviceBuffers Launch(PJRT_LoadedExecutable* executable,
                     const DeviceBuffers& arguments, size_t num_results,
                     Failure* failure, const LaunchOptions& options) {
  auto execute = New<PJRT_ExecuteOptions>();
  execute.launch_id = options.launch_id;
  execute.non_donatable_input_indices = options.kept.data();
  execute.num_non_donatable_input_indices = options.kept.size();
  DeviceBuffers results(arguments.size(),
                        std::vector<PJRT_Buffer*>(num_results));
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer**> result_lists;
  for (size_t i = 0; i < arguments.size(); ++i) {
    argument_lists.push_back(arguments[i].data());
    result_lists.push_back(results[i].data());
  }
  auto args = New<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &execute;
  args.argument_lists = argument_lists.data();
  args.num_devices = arguments.size();
  args.num_args = arguments.empty() ? 0 : arguments[0].size();
  args.output_lists = result_lists.data();
  args.execute_device = options.device;
  if (options.done) {
    options.done->resize(arguments.size());
    args.device_complete_events = options.done->data();
  }
  if (!Succeeded(Api().PJRT_LoadedExecutable_Execute(&args), failure)) {
    return {};
  }
  return results;
}

void Destroy(const DeviceBuffers& buffers) {
  for (const auto& of_device : buffers) {
    for (PJRT_Buffer* buffer : of_device) Destroy(buffer);
  }
}

}  // namespace iree_pjrt_test
