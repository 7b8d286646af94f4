// SPDX-License-Identifier: Apache-2.0
#include "launch/execute.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>

#include "base/host_allocator.h"
#include "base/struct_reader.h"
#include "ffi/device_ordinal.h"
#include "iree/modules/hal/types.h"
#include "launch/donation.h"
#include "launch/launch_inputs.h"
#include "pjrt/loaded_executable.h"
#include "runtime/device_memory.h"
#include "trace/trace.h"

struct PJRT_ExecuteContext {};

namespace iree_pjrt {
namespace {

// What one launch gives back.
struct Launch {
  // All results of the first device, then those of the second, and so on.
  std::vector<std::unique_ptr<Buffer>> results;
  // One for all devices.
  std::shared_ptr<Completion> completion;
};

// A VM list for one call, in its own storage unless it is long. What it is
// passed to may not keep it.
class CallList {
 public:
  explicit CallList(size_t capacity) {
    const iree_vm_type_def_t any = iree_vm_make_undefined_type_def();
    inside_ = iree_vm_list_storage_size(&any, capacity) <= sizeof(storage_);
    Check(inside_ ? iree_vm_list_initialize(
                        iree_make_byte_span(storage_, sizeof(storage_)), &any,
                        capacity, &list_)
                  : iree_vm_list_create(any, capacity, HostAllocator(), &list_),
          "making an argument list");
  }
  ~CallList() {
    if (inside_) {
      iree_vm_list_deinitialize(list_);
    } else {
      iree_vm_list_release(list_);
    }
  }
  CallList(const CallList&) = delete;
  CallList& operator=(const CallList&) = delete;

  iree_vm_list_t* get() const { return list_; }

 private:
  alignas(16) uint8_t storage_[512];
  bool inside_;
  iree_vm_list_t* list_ = nullptr;
};

void PushView(iree_vm_list_t* list, iree_hal_buffer_t* buffer,
              const Shape& shape) {
  static_assert(sizeof(iree_hal_dim_t) == sizeof(int64_t));
  const auto* dims = reinterpret_cast<const iree_hal_dim_t*>(shape.dims.data());
  HalBufferView view;
  Check(iree_hal_buffer_view_create(buffer, shape.dims.size(), dims,
                                    shape.type->iree,
                                    IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR,
                                    HostAllocator(), view.out()),
        "making a buffer view");
  iree_vm_ref_t ref = iree_hal_buffer_view_move_ref(view.release());
  Check(iree_vm_list_push_ref_move(list, &ref), "passing an argument");
}

void PassInputs(Client& client, const Program& program,
                const LaunchInputs& inputs, iree_vm_list_t* arguments) {
  for (size_t i = 0; i < inputs.data.size(); ++i) {
    const auto& data = inputs.data[i];
    if (program.donatable[i]) {
      // Every launch writes into this input, also where its owner keeps it.
      const HalBuffer own = WritableInput(client, data, inputs.donated[i]);
      PushView(arguments, own.get(), program.inputs[i]);
    } else {
      PushView(arguments, data->hal.get(), program.inputs[i]);
    }
  }
}

// Memory that the framework knows already: outputs, and inputs that are not
// donated.
class KnownStorage {
 public:
  KnownStorage(const LaunchInputs& inputs, size_t output_count) {
    known_.reserve(inputs.data.size() + output_count);
    for (size_t i = 0; i < inputs.data.size(); ++i) {
      if (inputs.donated[i]) continue;
      known_.push_back(
          iree_hal_buffer_allocated_buffer(inputs.data[i]->hal.get()));
    }
  }

  // False if the framework knows the memory of `buffer` under another name.
  bool Add(iree_hal_buffer_t* buffer) {
    const auto* storage = iree_hal_buffer_allocated_buffer(buffer);
    if (std::find(known_.begin(), known_.end(), storage) != known_.end()) {
      return false;
    }
    known_.push_back(storage);
    return true;
  }

 private:
  std::vector<const iree_hal_buffer_t*> known_;
};

// Runs the program on this thread; returns the data of its outputs.
std::vector<HalBuffer> Invoke(Device& device, const LoadedModule& module,
                              const LaunchInputs& inputs) {
  const Program& program = *module.program;
  Client& client = device.client();
  std::optional<DeviceOrdinalScope> ordinal;
  if (!program.foreign_calls.empty()) ordinal.emplace(device.id());
  const DeviceScope scope(module.hal_device);
  const CallList arguments(inputs.data.size());
  PassInputs(client, program, inputs, arguments.get());
  const CallList results(program.outputs.size());
  Check(iree_vm_invoke(module.context.get(), module.function,
                       IREE_VM_INVOCATION_FLAG_NONE, /*policy=*/nullptr,
                       arguments.get(), results.get(), HostAllocator()),
        "running the program");
  if (iree_vm_list_size(results.get()) != program.outputs.size()) {
    ThrowInternal("the module returned another number of results");
  }
  std::vector<HalBuffer> outputs;
  outputs.reserve(program.outputs.size());
  KnownStorage known(inputs, program.outputs.size());
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    iree_hal_buffer_view_t* view =
        iree_vm_list_get_buffer_view_assign(results.get(), i);
    if (!view) ThrowInternal("the module returned no buffer");
    if (iree_hal_buffer_view_byte_length(view) <
        program.outputs[i].byte_size()) {
      ThrowInternal("the module returned a buffer smaller than its type");
    }
    iree_hal_buffer_t* buffer = iree_hal_buffer_view_buffer(view);
    const size_t memory = program.output_memories[i];
    outputs.push_back(known.Add(buffer) && IsSameMemory(kDeviceMemory, memory)
                          ? HalBuffer::Retain(buffer)
                          : CopyOf(client.runtime(), buffer, memory));
  }
  return outputs;
}

TraceName NameOf(const std::shared_ptr<const Program>& program) {
  return TraceName(program, &program->name);
}

// Waits for the inputs and runs the program, for handlers on `device`. Fills
// `outputs`, unless it returns an error.
Completion::Outcome RunAndCatch(Device& device, const LoadedModule& module,
                                const LaunchInputs& inputs,
                                std::vector<HalBuffer>& outputs) noexcept {
  if (auto outcome = inputs.Await()) return outcome;
  TraceSpan span(TraceKind::kExecute, "Execute");
  if (span.on()) span.set_name(NameOf(module.program));
  try {
    const auto start = std::chrono::steady_clock::now();
    outputs = Invoke(device, module, inputs);
    module.pace.Record(std::chrono::steady_clock::now() - start);
    return nullptr;
  } catch (const Error& error) {
    return std::make_shared<const Error>(error);
  } catch (const std::exception& error) {
    return std::make_shared<const Error>(PJRT_Error_Code_INTERNAL,
                                         error.what());
  }
}

// One launch, from its start until it is handed over. On one thread.
class Launcher {
 public:
  Launcher(const LoadedExecutable& executable,
           std::shared_ptr<const LoadedModule> module,
           std::span<Device* const> devices, int launch_id)
      : client_(executable.client()),
        module_(std::move(module)),
        devices_(devices),
        launch_id_(launch_id) {}

  Launch Start(LaunchInputs inputs) {
    // Not with a handler that may need a lock which this thread holds, such as
    // Python's.
    if (module_->only_computes && module_->pace.Brief() && inputs.AllReady()) {
      return RunHere(inputs);
    }
    // On this thread a handler launches a program: queued, it would wait for
    // the queue that it runs on.
    if (client_->OnLaunchThread()) return RunHere(inputs);
    return Enqueue(std::move(inputs));
  }

 private:
  // Runs the program now.
  Launch RunHere(const LaunchInputs& inputs) {
    std::vector<HalBuffer> outputs;
    const auto outcome =
        RunAndCatch(*devices_.front(), *module_, inputs, outputs);
    if (outcome) outputs.assign(module_->program->outputs.size(), HalBuffer());
    const auto completion =
        outcome ? Completion::Failed(*outcome) : Completion::Ready();
    std::vector<std::shared_ptr<const BufferData>> data;
    data.reserve(outputs.size());
    for (HalBuffer& output : outputs) {
      data.push_back(
          std::make_shared<const BufferData>(std::move(output), completion));
    }
    return Results(data, completion);
  }

  // Queues the program; the results are there at once, their data later. A
  // launch waits only for launches that were queued before it: no other results
  // can be passed to it. Each queue runs in order. So the oldest of all queued
  // launches can always run, and the queues cannot wait for each other in a
  // circle.
  Launch Enqueue(LaunchInputs inputs) {
    const auto completion = std::make_shared<Completion>();
    std::vector<std::shared_ptr<BufferData>> data(
        module_->program->outputs.size());
    for (auto& output : data) {
      output = std::make_shared<BufferData>(HalBuffer(), completion);
    }
    Launch launch = Results(data, completion);
    for (Device* device : devices_) {
      device->launches().Add(launch_id_, completion);
    }
    // The task holds the client, so that the client lives until the program has
    // run, and lets go of it before it says so: whoever destroys the client
    // then ends its threads.
    Device& first = *devices_.front();
    first.queue().Post([client = client_, &first, module = module_, completion,
                        inputs = std::move(inputs),
                        data = std::move(data)]() mutable {
      std::vector<HalBuffer> outputs;
      auto outcome = RunAndCatch(first, *module, inputs, outputs);
      for (size_t i = 0; i < outputs.size(); ++i) {
        data[i]->hal = std::move(outputs[i]);
      }
      inputs.data.clear();  // donated memory is free before anybody is told
      data.clear();
      module.reset();
      const auto callbacks = client->runtime().callbacks();
      client.reset();
      completion->Complete(std::move(outcome), callbacks.get());
    });
    return launch;
  }

  // The launch with a buffer for each of the outputs' `data`.
  template <typename Data>
  Launch Results(const std::vector<std::shared_ptr<Data>>& data,
                 const std::shared_ptr<Completion>& completion) const {
    const Program& program = *module_->program;
    Launch launch;
    launch.completion = completion;
    launch.results.reserve(devices_.size() * program.result_count());
    for (size_t device = 0; device < devices_.size(); ++device) {
      for (size_t i = 0; i < program.result_count(); ++i) {
        const size_t output = program.output_of(device, i);
        Memory* memory =
            devices_[device]->memories().at(program.output_memories[output]);
        launch.results.push_back(std::make_unique<Buffer>(
            client_, memory, module_->outputs[output], data[output]));
      }
    }
    return launch;
  }

  const std::shared_ptr<Client>& client_;
  const std::shared_ptr<const LoadedModule> module_;
  const std::span<Device* const> devices_;
  const int launch_id_;
};

// A portable program runs on any device of the client.
void CheckRunsOn(const LoadedExecutable& executable, const Device& device) {
  const Program& program = *executable.program();
  if (program.device_count > 1) {
    ThrowInvalidArgument("execute_device is one device; the program is for " +
                         std::to_string(program.device_count));
  }
  const bool known = &device.client() == executable.client().get();
  if (executable.devices().front() != &device &&
      !(known && program.compile_options.portable)) {
    ThrowInvalidArgument("execute_device is not one the program is loaded for");
  }
}

}  // namespace

void LoadedExecutableExecute(PJRT_LoadedExecutable_Execute_Args& args) {
  TraceSpan span(TraceKind::kDispatch, "Dispatch");
  const LoadedExecutable& executable = FromC(args.executable, "executable");
  if (span.on()) span.set_name(NameOf(executable.program()));
  const auto module = executable.module();
  Device* asked = args.execute_device
                      ? &FromC(args.execute_device, "execute_device")
                      : nullptr;
  if (asked) CheckRunsOn(executable, *asked);
  const std::span<Device* const> devices =
      asked ? std::span<Device* const>(&asked, 1) : executable.devices();
  if (args.num_devices != devices.size()) {
    ThrowInvalidArgument("num_devices is " + std::to_string(args.num_devices) +
                         "; expected is " + std::to_string(devices.size()));
  }
  PJRT_ExecuteOptions options{};
  if (args.options) options = ReadStruct(args.options);

  const Program& program = *module->program;
  const LaunchArguments arguments{devices, args.argument_lists, args.num_args};
  LaunchInputs inputs = GatherInputs(program, options, arguments);
  // Before the launch, which may then be the only owner.
  DeleteDonated(program, inputs, arguments);
  Launch launch = Launcher(executable, module, devices, options.launch_id)
                      .Start(std::move(inputs));
  // From here on only a lack of memory throws: hand everything over.
  auto result = launch.results.begin();
  for (size_t device = 0; device < devices.size(); ++device) {
    for (size_t i = 0; i < program.result_count(); ++i) {
      args.output_lists[device][i] = ToC((result++)->release());
    }
    if (args.device_complete_events) {
      args.device_complete_events[device] = NewEvent(launch.completion);
    }
  }
}

void ExecuteContextCreate(PJRT_ExecuteContext_Create_Args& args) {
  args.context = new PJRT_ExecuteContext();
}

void ExecuteContextDestroy(PJRT_ExecuteContext_Destroy_Args& args) {
  delete args.context;
}

}  // namespace iree_pjrt
