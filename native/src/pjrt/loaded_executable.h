// SPDX-License-Identifier: Apache-2.0
// PJRT_LoadedExecutable: a program bound to devices of a client, ready to run.
// Owned by the caller of the C API; holds a reference on the client. Execute
// may be called from several threads at once. Delete drops the module; running
// executions keep their own reference.
#ifndef IREE_PJRT_PJRT_LOADED_EXECUTABLE_H_
#define IREE_PJRT_PJRT_LOADED_EXECUTABLE_H_

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "base/handle.h"
#include "ffi/registry.h"
#include "pjrt/buffer.h"
#include "pjrt/client.h"
#include "program/program.h"
#include "runtime/iree_ref.h"

namespace iree_pjrt {

// A program's module, loaded. All devices of a client run it as it is: they
// share the runtime. Immutable but for its pace, shared with executions.
struct LoadedModule {
  LoadedModule(std::shared_ptr<const Program> program,
               iree_hal_device_t* hal_device)
      : program(std::move(program)),
        hal_device(hal_device),
        only_computes(
            std::all_of(this->program->foreign_calls.begin(),
                        this->program->foreign_calls.end(),
                        [](const auto& c) { return OnlyComputes(c.target); })),
        pace(this->program->cost) {
    for (const Shape& shape : this->program->outputs) {
      outputs.push_back(std::make_shared<const Shape>(shape));
    }
  }

  ~LoadedModule() {
    const DeviceScope scope(hal_device);
    context = VmContext();
  }
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  std::shared_ptr<const Program> program;  // owns the bytes the module reads
  // The device that it runs on; the client owns it.
  iree_hal_device_t* hal_device;
  VmContext context;
  iree_vm_function_t function;
  // The shapes of the program's outputs, which its buffers share.
  std::vector<std::shared_ptr<const Shape>> outputs;
  // Whether all handlers that it calls do, which then may run on any thread.
  const bool only_computes;
  // The pace of launches so far, whichever thread they ran on.
  mutable Pace pace;
};

class LoadedExecutable {
 public:
  // Loads the program for the devices its options name.
  LoadedExecutable(std::shared_ptr<Client> client,
                   std::shared_ptr<const Program> program);

  const std::shared_ptr<const Program>& program() const { return program_; }
  const std::shared_ptr<Client>& client() const { return client_; }
  // In the order of the program's arguments and results.
  const std::vector<Device*>& devices() const { return devices_; }

  // Throws INVALID_ARGUMENT if deleted.
  std::shared_ptr<const LoadedModule> module() const;
  bool deleted() const;
  void Delete();

 private:
  const std::shared_ptr<Client> client_;
  const std::shared_ptr<const Program> program_;
  std::vector<Device*> devices_;
  mutable std::mutex mutex_;
  // Null once deleted.
  std::shared_ptr<const LoadedModule> module_;
};
IREE_PJRT_HANDLE(PJRT_LoadedExecutable, LoadedExecutable)

void ClientCompile(PJRT_Client_Compile_Args& args);
void Compile(PJRT_Compile_Args& args);
void ExecutableDeserializeAndLoad(
    PJRT_Executable_DeserializeAndLoad_Args& args);
void LoadedExecutableDestroy(PJRT_LoadedExecutable_Destroy_Args& args);
void LoadedExecutableGetExecutable(
    PJRT_LoadedExecutable_GetExecutable_Args& args);
void LoadedExecutableGetDeviceAssignment(
    PJRT_LoadedExecutable_GetDeviceAssignment_Args& args);
void LoadedExecutableAddressableDevices(
    PJRT_LoadedExecutable_AddressableDevices_Args& args);
void LoadedExecutableDelete(PJRT_LoadedExecutable_Delete_Args& args);
void LoadedExecutableIsDeleted(PJRT_LoadedExecutable_IsDeleted_Args& args);
void LoadedExecutableFingerprint(PJRT_LoadedExecutable_Fingerprint_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PJRT_LOADED_EXECUTABLE_H_
