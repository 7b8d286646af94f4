// SPDX-License-Identifier: Apache-2.0
#include "plugin.h"

#include <dlfcn.h>

#include <stdexcept>

namespace iree_pjrt_fuzz {
namespace {

template <typename Args>
Args New() {
  Args args{};
  args.struct_size = sizeof(Args);
  return args;
}

}  // namespace

Plugin::Plugin(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw std::runtime_error(dlerror());
  api_ = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(handle, "GetPjrtApi"))();
  auto create = New<PJRT_Client_Create_Args>();
  if (!Ok(api_->PJRT_Client_Create(&create))) {
    throw std::runtime_error("the plugin makes no client");
  }
  client_ = create.client;
  auto devices = New<PJRT_Client_AddressableDevices_Args>();
  devices.client = client_;
  Ok(api_->PJRT_Client_AddressableDevices(&devices));
  device_ = devices.addressable_devices[0];
}

// Consumes the error, and reads it as a framework does.
bool Plugin::Ok(PJRT_Error* error) {
  if (!error) return true;
  auto message = New<PJRT_Error_Message_Args>();
  message.error = error;
  api_->PJRT_Error_Message(&message);
  const bool empty = message.message_size == 0;
  auto destroy = New<PJRT_Error_Destroy_Args>();
  destroy.error = error;
  api_->PJRT_Error_Destroy(&destroy);
  if (empty) throw std::runtime_error("an error without a message");
  return false;
}

bool Plugin::Await(PJRT_Event* event) {
  auto await = New<PJRT_Event_Await_Args>();
  await.event = event;
  const bool ok = Ok(api_->PJRT_Event_Await(&await));
  auto destroy = New<PJRT_Event_Destroy_Args>();
  destroy.event = event;
  Ok(api_->PJRT_Event_Destroy(&destroy));
  return ok;
}

PJRT_LoadedExecutable* Plugin::CompileOrNull(const std::string& program,
                                             const std::string& options) {
  std::string code = program;
  auto source = New<PJRT_Program>();
  source.code = code.data();
  source.code_size = code.size();
  source.format = "mlir";
  source.format_size = 4;
  auto args = New<PJRT_Client_Compile_Args>();
  args.client = client_;
  args.program = &source;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  return Ok(api_->PJRT_Client_Compile(&args)) ? args.executable : nullptr;
}

bool Plugin::Compile(const std::string& program, const std::string& options) {
  PJRT_LoadedExecutable* executable = CompileOrNull(program, options);
  if (!executable) return false;
  auto destroy = New<PJRT_LoadedExecutable_Destroy_Args>();
  destroy.executable = executable;
  Ok(api_->PJRT_LoadedExecutable_Destroy(&destroy));
  return true;
}

bool Plugin::Load(const std::string& serialized, bool run) {
  auto args = New<PJRT_Executable_DeserializeAndLoad_Args>();
  args.client = client_;
  args.serialized_executable = serialized.data();
  args.serialized_executable_size = serialized.size();
  if (!Ok(api_->PJRT_Executable_DeserializeAndLoad(&args))) return false;
  if (run) Run(args.loaded_executable);
  auto destroy = New<PJRT_LoadedExecutable_Destroy_Args>();
  destroy.executable = args.loaded_executable;
  Ok(api_->PJRT_LoadedExecutable_Destroy(&destroy));
  return true;
}

void Plugin::Run(PJRT_LoadedExecutable* executable) {
  auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = executable;
  Ok(api_->PJRT_LoadedExecutable_GetExecutable(&get));
  auto count = New<PJRT_Executable_NumOutputs_Args>();
  count.executable = get.executable;
  Ok(api_->PJRT_Executable_NumOutputs(&count));
  auto release = New<PJRT_Executable_Destroy_Args>();
  release.executable = get.executable;
  Ok(api_->PJRT_Executable_Destroy(&release));

  const float values[6] = {1, 2, 3, 4, 5, 6};
  PJRT_Buffer* input = BufferOrNull(values, {PJRT_Buffer_Type_F32, {2, 3}, {}});
  std::vector<PJRT_Buffer*> outputs(count.num_outputs);
  PJRT_Buffer* const* inputs = &input;
  PJRT_Buffer** output_list = outputs.data();
  auto options = New<PJRT_ExecuteOptions>();
  auto args = New<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = &inputs;
  args.num_devices = 1;
  args.num_args = 1;
  args.output_lists = &output_list;
  const bool ran = Ok(api_->PJRT_LoadedExecutable_Execute(&args));
  for (PJRT_Buffer* output : outputs) {
    if (ran) Read(output);
  }
  auto destroy = New<PJRT_Buffer_Destroy_Args>();
  destroy.buffer = input;
  Ok(api_->PJRT_Buffer_Destroy(&destroy));
}

// Copies the buffer to the host, and destroys it.
bool Plugin::Read(PJRT_Buffer* buffer) {
  auto read = New<PJRT_Buffer_ToHostBuffer_Args>();
  read.src = buffer;
  bool ok = Ok(api_->PJRT_Buffer_ToHostBuffer(&read));
  if (ok && read.dst_size < (size_t{1} << 30)) {
    std::string bytes(read.dst_size, '\0');
    read.dst = bytes.data();
    ok = Ok(api_->PJRT_Buffer_ToHostBuffer(&read)) && Await(read.event);
  }
  auto destroy = New<PJRT_Buffer_Destroy_Args>();
  destroy.buffer = buffer;
  Ok(api_->PJRT_Buffer_Destroy(&destroy));
  return ok;
}

PJRT_Buffer* Plugin::BufferOrNull(const void* data, const HostArray& array) {
  auto args = New<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = client_;
  args.data = data;
  args.type = array.type;
  args.dims = array.dims.data();
  args.num_dims = array.dims.size();
  args.byte_strides = array.byte_strides.data();
  args.num_byte_strides = array.byte_strides.size();
  args.device = device_;
  if (!Ok(api_->PJRT_Client_BufferFromHostBuffer(&args))) return nullptr;
  Await(args.done_with_host_buffer);
  return args.buffer;
}

bool Plugin::Transfer(const void* data, const HostArray& array) {
  PJRT_Buffer* buffer = BufferOrNull(data, array);
  return buffer && Read(buffer);
}

std::string Plugin::Serialize(const std::string& program) {
  PJRT_LoadedExecutable* loaded = CompileOrNull(program, "");
  if (!loaded) throw std::runtime_error("the first seed does not compile");
  auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = loaded;
  Ok(api_->PJRT_LoadedExecutable_GetExecutable(&get));
  auto args = New<PJRT_Executable_Serialize_Args>();
  args.executable = get.executable;
  if (!Ok(api_->PJRT_Executable_Serialize(&args))) {
    throw std::runtime_error("the first seed is not serialized");
  }
  // The program stays loaded until the process ends.
  std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_executable_deleter(args.serialized_executable);
  return bytes;
}

}  // namespace iree_pjrt_fuzz
