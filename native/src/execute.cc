// SPDX-License-Identifier: Apache-2.0
#include "execute.h"

#include <algorithm>
#include <chrono>

#include "device_memory.h"
#include "donation.h"
#include "guard.h"
#include "host_allocator.h"
#include "iree/modules/hal/types.h"
#include "loaded_executable.h"
#include "trace.h"

struct PJRT_ExecuteContext {};

namespace iree_pjrt {
namespace {

using DataList = std::vector<std::shared_ptr<const BufferData>>;

// What one device takes.
struct Inputs {
  std::shared_ptr<const LoadedModule> module;
  DataList data;
  // Of the framework; 0 for none.
  int launch_id = 0;
  // For each whether this launch owns it.
  std::vector<bool> donated;
};

// What one device gives back.
struct Launch {
  std::vector<std::unique_ptr<Buffer>> outputs;
  std::shared_ptr<Completion> completion;
};

DataList CollectInputs(const Program& program, PJRT_Buffer* const* arguments,
                       size_t count) {
  if (count != program.inputs.size()) {
    ThrowInvalidArgument("the program takes " +
                         std::to_string(program.inputs.size()) +
                         " arguments; given are " + std::to_string(count));
  }
  DataList inputs;
  inputs.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const Buffer& buffer = FromC(arguments[i], "argument");
    const Shape& want = program.inputs[i];
    if (buffer.shape().dims != want.dims || buffer.shape().type != want.type) {
      ThrowInvalidArgument("argument " + std::to_string(i) +
                           " has another shape or element type than the "
                           "program was compiled for");
    }
    inputs.push_back(buffer.data());
  }
  return inputs;
}

// Waits for the inputs; the error of the first that failed, or null.
Completion::Outcome AwaitInputs(const DataList& inputs) {
  for (const auto& data : inputs) {
    if (const auto& outcome = data->ready->Await()) return outcome;
  }
  return nullptr;
}

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

void PassInputs(Client& client, const Program& program, const Inputs& inputs,
                iree_vm_list_t* arguments) {
  for (size_t i = 0; i < inputs.data.size(); ++i) {
    const auto& data = inputs.data[i];
    if (program.donatable[i]) {
      // The program writes into it, whoever owns it this time.
      const HalBuffer own = WritableInput(client, data, inputs.donated[i]);
      PushView(arguments, own.get(), program.inputs[i]);
    } else {
      PushView(arguments, data->hal.get(), program.inputs[i]);
    }
  }
}

// Memory that the framework knows already: inputs that stay, and outputs.
class KnownStorage {
 public:
  KnownStorage(const Inputs& inputs, size_t output_count) {
    known_.reserve(inputs.data.size() + output_count);
    for (size_t i = 0; i < inputs.data.size(); ++i) {
      if (inputs.donated[i]) continue;
      known_.push_back(
          iree_hal_buffer_allocated_buffer(inputs.data[i]->hal.get()));
    }
  }

  // False if `buffer` lies in memory known under another name.
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

// Runs the program on this thread; the outputs' data.
std::vector<HalBuffer> Invoke(const Inputs& inputs) {
  const LoadedModule& module = *inputs.module;
  const Program& program = *module.program;
  Client& client = module.device->client();
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

// Fills `outputs`, unless it returns an error. The inputs must be ready.
Completion::Outcome RunAndCatch(const Inputs& inputs,
                                std::vector<HalBuffer>& outputs) noexcept {
  TraceSpan span(TraceKind::kExecute, "Execute");
  if (span.on()) span.set_name(NameOf(inputs.module->program));
  try {
    const auto start = std::chrono::steady_clock::now();
    outputs = Invoke(inputs);
    inputs.module->pace.Record(std::chrono::steady_clock::now() - start);
    return nullptr;
  } catch (const Error& error) {
    return std::make_shared<const Error>(error);
  } catch (const std::exception& error) {
    return std::make_shared<const Error>(PJRT_Error_Code_INTERNAL,
                                         error.what());
  }
}

void AddOutput(Launch& launch, const LoadedExecutable& executable,
               const LoadedModule& module,
               std::shared_ptr<const BufferData> data) {
  const size_t index = launch.outputs.size();
  Memory& memory =
      *module.device->memories().at(module.program->output_memories[index]);
  launch.outputs.push_back(std::make_unique<Buffer>(
      executable.client(), &memory, module.outputs[index], std::move(data)));
}

// Runs the program now.
Launch RunHere(const LoadedExecutable& executable, const Inputs& inputs) {
  const LoadedModule& module = *inputs.module;
  Launch launch;
  std::vector<HalBuffer> outputs;
  auto outcome = AwaitInputs(inputs.data);
  if (!outcome) outcome = RunAndCatch(inputs, outputs);
  if (outcome) outputs.assign(module.program->outputs.size(), HalBuffer());
  launch.completion =
      outcome ? Completion::Failed(*outcome) : Completion::Ready();
  launch.outputs.reserve(outputs.size());
  for (HalBuffer& output : outputs) {
    AddOutput(launch, executable, module,
              std::make_shared<const BufferData>(std::move(output),
                                                 launch.completion));
  }
  return launch;
}

// Queues the program; the outputs are there at once, their data later.
Launch Enqueue(const LoadedExecutable& executable, Inputs inputs) {
  const auto& module = inputs.module;
  Launch launch;
  launch.completion = std::make_shared<Completion>();
  std::vector<std::shared_ptr<BufferData>> data;
  for (size_t i = 0; i < module->program->outputs.size(); ++i) {
    data.push_back(
        std::make_shared<BufferData>(HalBuffer(), launch.completion));
    AddOutput(launch, executable, *module, data.back());
  }
  module->device->launches().Add(inputs.launch_id, launch.completion);
  WorkQueue& queue = executable.client()->runtime().queue();
  // Holds the client, so that the queues outlive the task.
  queue.Post([client = executable.client(), completion = launch.completion,
              inputs = std::move(inputs), data = std::move(data)]() mutable {
    std::vector<HalBuffer> outputs;
    auto outcome = AwaitInputs(inputs.data);
    if (!outcome) outcome = RunAndCatch(inputs, outputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      data[i]->hal = std::move(outputs[i]);
    }
    inputs.data.clear();  // donated memory is free when it is said to be done
    completion->Complete(std::move(outcome), &client->runtime().callbacks());
  });
  return launch;
}

bool AllReady(const DataList& inputs) {
  return std::all_of(inputs.begin(), inputs.end(),
                     [](const auto& data) { return data->ready->done(); });
}

Launch Start(const LoadedExecutable& executable, Inputs inputs) {
  const LoadedModule& module = *inputs.module;
  // A handler on the host may need a lock that this thread holds: Python's.
  if (module.program->foreign_calls.empty() && module.pace.Brief() &&
      AllReady(inputs.data)) {
    return RunHere(executable, inputs);
  }
  // A handler that launches a program would wait for its own queue.
  if (executable.client()->runtime().queue().OnThread()) {
    return RunHere(executable, inputs);
  }
  return Enqueue(executable, std::move(inputs));
}

// Donated inputs are gone for the framework from now on.
void DeleteDonated(const Inputs& inputs, PJRT_Buffer* const* arguments) {
  for (size_t i = 0; i < inputs.donated.size(); ++i) {
    if (inputs.donated[i]) FromC(arguments[i], "argument").Delete();
  }
}

const std::shared_ptr<const LoadedModule>& ModuleFor(
    const LoadedExecutable::Modules& modules, size_t index,
    PJRT_Device* execute_device) {
  if (!execute_device) return modules.at(index);
  Device& device = FromC(execute_device, "execute_device");
  for (const auto& module : modules) {
    if (module->device == &device) return module;
  }
  ThrowInvalidArgument("execute_device is not one the program is loaded for");
}

}  // namespace

void LoadedExecutableExecute(PJRT_LoadedExecutable_Execute_Args& args) {
  TraceSpan span(TraceKind::kDispatch, "Dispatch");
  const LoadedExecutable& executable = FromC(args.executable, "executable");
  if (span.on()) span.set_name(NameOf(executable.program()));
  const auto held = executable.modules();
  const LoadedExecutable::Modules& modules = *held;
  const size_t expected = args.execute_device ? 1 : modules.size();
  if (args.num_devices != expected) {
    ThrowInvalidArgument("num_devices is " + std::to_string(args.num_devices) +
                         "; expected is " + std::to_string(expected));
  }
  PJRT_ExecuteOptions options{};
  if (args.options) options = ReadStruct(args.options);

  std::vector<Inputs> inputs(args.num_devices);
  for (size_t i = 0; i < args.num_devices; ++i) {
    const Program& program = *executable.program();
    PJRT_Buffer* const* arguments = args.argument_lists[i];
    inputs[i].module = ModuleFor(modules, i, args.execute_device);
    inputs[i].launch_id = options.launch_id;
    inputs[i].data = CollectInputs(program, arguments, args.num_args);
    inputs[i].donated = DonatedArguments(program, options, arguments);
  }
  std::vector<Launch> launches;
  for (size_t i = 0; i < args.num_devices; ++i) {
    // Before the launch, which may then be the only owner.
    DeleteDonated(inputs[i], args.argument_lists[i]);
    launches.push_back(Start(executable, std::move(inputs[i])));
  }
  // Nothing throws from here on but out of memory: hand everything over.
  for (size_t i = 0; i < launches.size(); ++i) {
    for (size_t k = 0; k < launches[i].outputs.size(); ++k) {
      args.output_lists[i][k] = ToC(launches[i].outputs[k].release());
    }
    if (args.device_complete_events) {
      args.device_complete_events[i] = NewEvent(launches[i].completion);
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
