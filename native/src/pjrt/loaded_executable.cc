// SPDX-License-Identifier: Apache-2.0
#include "pjrt/loaded_executable.h"

#include <set>

#include "base/host_allocator.h"
#include "base/struct_reader.h"
#include "compile/compiler.h"
#include "ffi/device_ordinal.h"
#include "ffi/module.h"
#include "iree/vm/bytecode/module.h"
#include "pjrt/executable.h"
#include "trace/trace.h"

struct PJRT_DeviceAssignmentSerialized {
  std::string bytes;
};

namespace iree_pjrt {
namespace {

constexpr char kEntryPoint[] = "main";

std::vector<Device*> DevicesOf(const Client& client, const Program& program) {
  const CompileOptions& options = program.compile_options;
  std::vector<Device*> devices;
  if (!options.device_ids.empty()) {
    for (int64_t id : options.device_ids) {
      devices.push_back(&client.LookupDevice(id));
    }
  } else {
    for (size_t i = 0; i < program.device_count; ++i) {
      devices.push_back(&client.LookupDevice(static_cast<int64_t>(i)));
    }
  }
  if (devices.size() != program.device_count) {
    ThrowInvalidArgument(
        "the device assignment names " + std::to_string(devices.size()) +
        " devices for a program over " + std::to_string(program.device_count));
  }
  std::set<const Device*> seen;
  for (const Device* device : devices) {
    if (seen.insert(device).second) continue;
    ThrowInvalidArgument("the device assignment names device " +
                         std::to_string(device->id()) + " twice");
  }
  return devices;
}

std::shared_ptr<const LoadedModule> LoadModule(
    Client& client, const std::shared_ptr<const Program>& program,
    const Device& first) {
  TraceSpan span(TraceKind::kCompile, "Load");
  if (span.on()) span.set_name(TraceName(program, &program->name));
  const iree_allocator_t host = HostAllocator();
  Runtime& runtime = client.runtime();
  const Runtime::Engine& engine = runtime.engine();
  const DeviceScope scope(engine.device.get());
  VmModule module;
  Check(
      iree_vm_bytecode_module_create(
          runtime.instance(), IREE_VM_BYTECODE_MODULE_FLAG_NONE,
          iree_make_const_byte_span(program->vmfb.data(), program->vmfb.size()),
          iree_allocator_null(), host, module.out()),
      "reading the compiled module");
  auto loaded = std::make_shared<LoadedModule>(program, engine.device.get());
  // Each module may import from those before it.
  std::vector<iree_vm_module_t*> modules = {engine.hal_module.get()};
  VmModule foreign;
  if (!program->foreign_calls.empty()) {
    const DeviceOrdinalScope ordinal(first.id());
    foreign = CreateForeignModule(runtime, {program, &program->foreign_calls});
    modules.push_back(foreign.get());
  }
  modules.push_back(module.get());
  Check(iree_vm_context_create_with_modules(
            runtime.instance(), IREE_VM_CONTEXT_FLAG_CONCURRENT, modules.size(),
            modules.data(), host, loaded->context.out()),
        "loading the compiled module");
  Check(iree_vm_module_lookup_function_by_name(
            module.get(), IREE_VM_FUNCTION_LINKAGE_EXPORT,
            iree_make_cstring_view(kEntryPoint), &loaded->function),
        "looking up the entry point 'main'");
  return loaded;
}

}  // namespace

LoadedExecutable::LoadedExecutable(std::shared_ptr<Client> client,
                                   std::shared_ptr<const Program> program)
    : client_(std::move(client)),
      program_(std::move(program)),
      devices_(DevicesOf(*client_, *program_)),
      module_(LoadModule(*client_, program_, *devices_.front())) {
  client_->log().Debug("loaded " + program_->name);
}

std::shared_ptr<const LoadedModule> LoadedExecutable::module() const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!module_) ThrowInvalidArgument("the executable has been deleted");
  return module_;
}

bool LoadedExecutable::deleted() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return module_ == nullptr;
}

void LoadedExecutable::Delete() {
  std::shared_ptr<const LoadedModule> dropped;
  std::lock_guard<std::mutex> lock(mutex_);
  dropped.swap(module_);
}

namespace {

std::shared_ptr<const Program> CompileProgram(Compiler& compiler,
                                              const PJRT_Program* program,
                                              const char* options,
                                              size_t options_size) {
  if (!program) ThrowInvalidArgument("program is null");
  const PJRT_Program source = ReadStruct(program);
  const std::string_view format(source.format ? source.format : "",
                                source.format ? source.format_size : 0);
  if (format != "mlir") {
    ThrowUnimplemented("programs of format '" + std::string(format) +
                       "'; supported is 'mlir'");
  }
  if (!source.code) ThrowInvalidArgument("program->code is null");
  return compiler.Compile(
      {source.code, source.code_size},
      options ? std::string_view(options, options_size) : std::string_view());
}

}  // namespace

void ClientCompile(PJRT_Client_Compile_Args& args) {
  const auto client = FromC(args.client, "client").client;
  auto program =
      CompileProgram(client->compiler(), args.program, args.compile_options,
                     args.compile_options_size);
  args.executable = ToC(new LoadedExecutable(client, std::move(program)));
}

void Compile(PJRT_Compile_Args& args) {
  const Topology& topology = FromC(args.topology, "topology");
  Compiler& compiler =
      args.client ? ClientOf(args.client).compiler() : *topology.compiler();
  args.executable = ToC(new Executable(
      CompileProgram(compiler, args.program, args.compile_options,
                     args.compile_options_size)));
}

void ExecutableDeserializeAndLoad(
    PJRT_Executable_DeserializeAndLoad_Args& args) {
  const auto client = FromC(args.client, "client").client;
  if (!args.serialized_executable) {
    ThrowInvalidArgument("serialized_executable is null");
  }
  const std::string_view options(
      args.overridden_serialized_compile_options,
      args.overridden_serialized_compile_options
          ? args.overridden_serialized_compile_options_size
          : 0);
  auto program = DeserializeProgram(
      {args.serialized_executable, args.serialized_executable_size},
      options.data() ? &options : nullptr);
  args.loaded_executable =
      ToC(new LoadedExecutable(client, std::move(program)));
}

void LoadedExecutableDestroy(PJRT_LoadedExecutable_Destroy_Args& args) {
  delete Take(args.executable);
}

void LoadedExecutableGetExecutable(
    PJRT_LoadedExecutable_GetExecutable_Args& args) {
  args.executable = ToC(new Executable(
      FromC(args.loaded_executable, "loaded_executable").program()));
}

void LoadedExecutableGetDeviceAssignment(
    PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  const LoadedExecutable& executable = FromC(args.executable, "executable");
  const CompileOptions& options = executable.program()->compile_options;
  std::vector<int64_t> ids;
  for (const Device* device : executable.devices()) ids.push_back(device->id());
  args.serialized_device_assignment =
      new PJRT_DeviceAssignmentSerialized{SerializeDeviceAssignment(
          options.num_replicas, options.num_partitions, ids)};
  args.serialized_bytes = args.serialized_device_assignment->bytes.data();
  args.serialized_bytes_size = args.serialized_device_assignment->bytes.size();
  args.serialized_device_assignment_deleter =
      [](PJRT_DeviceAssignmentSerialized* assignment) { delete assignment; };
}

void LoadedExecutableAddressableDevices(
    PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  const auto& devices = FromC(args.executable, "executable").devices();
  args.addressable_devices =
      reinterpret_cast<PJRT_Device* const*>(devices.data());
  args.num_addressable_devices = devices.size();
}

void LoadedExecutableDelete(PJRT_LoadedExecutable_Delete_Args& args) {
  FromC(args.executable, "executable").Delete();
}

void LoadedExecutableIsDeleted(PJRT_LoadedExecutable_IsDeleted_Args& args) {
  args.is_deleted = FromC(args.executable, "executable").deleted();
}

void LoadedExecutableFingerprint(PJRT_LoadedExecutable_Fingerprint_Args& args) {
  const std::string& text =
      FromC(args.executable, "executable").program()->fingerprint;
  args.executable_fingerprint = text.c_str();
  args.executable_fingerprint_size = text.size();
}

}  // namespace iree_pjrt
