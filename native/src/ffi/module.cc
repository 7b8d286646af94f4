// SPDX-License-Identifier: Apache-2.0
#include "ffi/module.h"

#include <cstring>
#include <string>

#include "base/status.h"
#include "ffi/frame.h"
#include "iree/modules/hal/types.h"
#include "iree/vm/native_module.h"
#include "runtime/device_memory.h"
#include "runtime/runtime.h"
#include "trace/trace.h"

namespace iree_pjrt {
namespace {

class ForeignModule {
 public:
  ForeignModule(Runtime& runtime,
                std::shared_ptr<const std::vector<ForeignCall>> calls)
      : runtime_(runtime), calls_(std::move(calls)) {
    names_.reserve(calls_->size());
    conventions_.reserve(calls_->size());
    for (const ForeignCall& call : *calls_) {
      bound_.push_back(std::make_unique<BoundCall>(call));
      names_.push_back(ForeignFunctionName(names_.size()));
      conventions_.push_back(Convention(call));
      iree_vm_native_export_descriptor_t entry{};
      entry.local_name = View(names_.back());
      entry.calling_convention = View(conventions_.back());
      exports_.push_back(entry);
    }
    descriptor_.name = View(kForeignModule);
    descriptor_.export_count = exports_.size();
    descriptor_.exports = exports_.data();
  }

  const iree_vm_native_module_descriptor_t* descriptor() const {
    return &descriptor_;
  }

  // The arguments are borrowed; the results are the caller's.
  void Call(size_t index, iree_vm_ref_t* arguments, iree_vm_ref_t* results) {
    const BoundCall& bound = *bound_.at(index);
    const ForeignCall& call = bound.call();
    TraceSpan span(TraceKind::kCallback, "CustomCall");
    if (span.on()) span.set_name(TraceName(calls_, &calls_->at(index).target));
    std::vector<HostView> inputs;
    for (size_t i = 0; i < call.operands.size(); ++i) {
      inputs.push_back(ViewOperand(call.operands[i], arguments[i]));
    }
    std::vector<HalBufferView> views;
    std::vector<HostView> outputs;
    for (const ForeignTensor& result : call.results) {
      const size_t size = result.shape.byte_size();
      const HalBuffer buffer = AllocateBuffer(runtime_, size);
      views.push_back(MakeView(result, buffer.get()));
      outputs.emplace_back(runtime_, buffer.get(), 0, size,
                           HostView::Access::kReplace);
    }
    Run(bound, inputs, outputs);
    for (HostView& output : outputs) output.Finish();
    for (size_t i = 0; i < views.size(); ++i) {
      results[i] = iree_hal_buffer_view_retain_ref(views[i].get());
    }
  }

 private:
  static iree_string_view_t View(std::string_view text) {
    return iree_make_string_view(text.data(), text.size());
  }

  // All arguments and results are references.
  static std::string Convention(const ForeignCall& call) {
    const auto list = [](size_t count) {
      return count ? std::string(count, 'r') : std::string("v");
    };
    return "0" + list(call.operands.size()) + "_" + list(call.results.size());
  }

  // The buffer lives as long as the call's arguments.
  HostView ViewOperand(const ForeignTensor& operand, iree_vm_ref_t& ref) const {
    iree_hal_buffer_view_t* view = nullptr;
    Check(iree_hal_buffer_view_check_deref(ref, &view),
          "taking an operand of a custom call");
    const iree_device_size_t size = operand.shape.byte_size();
    if (iree_hal_buffer_view_byte_length(view) < size) {
      ThrowInternal("an operand of a custom call is smaller than its type");
    }
    return HostView(runtime_, iree_hal_buffer_view_buffer(view), 0, size,
                    HostView::Access::kRead);
  }

  static HalBufferView MakeView(const ForeignTensor& result,
                                iree_hal_buffer_t* buffer) {
    const std::vector<int64_t> physical = result.PhysicalDims();
    const std::vector<iree_hal_dim_t> dims(physical.begin(), physical.end());
    HalBufferView view;
    Check(iree_hal_buffer_view_create(buffer, dims.size(), dims.data(),
                                      result.shape.type->iree,
                                      IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR,
                                      iree_allocator_system(), view.out()),
          "returning a result of a custom call");
    return view;
  }

  static void Run(const BoundCall& bound, const std::vector<HostView>& inputs,
                  const std::vector<HostView>& outputs) {
    const ForeignCall& call = bound.call();
    std::vector<void*> operands;
    std::vector<void*> results;
    for (const HostView& input : inputs) operands.push_back(input.data());
    for (const HostView& output : outputs) results.push_back(output.data());
    for (size_t i = 0; i < results.size(); ++i) {
      if (call.aliases[i] < 0) continue;
      // The handler works in place, on memory of its own.
      void*& operand = operands.at(static_cast<size_t>(call.aliases[i]));
      const size_t size = call.results[i].shape.byte_size();
      if (size) std::memcpy(results[i], operand, size);
      operand = results[i];
    }
    bound.Run(operands, results);
  }

  Runtime& runtime_;
  const std::shared_ptr<const std::vector<ForeignCall>> calls_;
  std::vector<std::unique_ptr<BoundCall>> bound_;
  std::vector<std::string> names_;
  std::vector<std::string> conventions_;
  std::vector<iree_vm_native_export_descriptor_t> exports_;
  iree_vm_native_module_descriptor_t descriptor_{};
};

iree_status_t StatusOf(const Error& error) {
  return iree_make_status(static_cast<iree_status_code_t>(error.code()), "%s",
                          error.message().c_str());
}

iree_status_t BeginCall(void* self, iree_vm_stack_t*,
                        iree_vm_function_call_t call) noexcept {
  try {
    static_cast<ForeignModule*>(self)->Call(
        call.function.ordinal,
        reinterpret_cast<iree_vm_ref_t*>(call.arguments.data),
        reinterpret_cast<iree_vm_ref_t*>(call.results.data));
    return iree_ok_status();
  } catch (const Error& error) {
    return StatusOf(error);
  } catch (const std::exception& error) {
    return iree_make_status(IREE_STATUS_INTERNAL, "%s", error.what());
  }
}

}  // namespace

VmModule CreateForeignModule(
    Runtime& runtime, std::shared_ptr<const std::vector<ForeignCall>> calls) {
  auto self = std::make_unique<ForeignModule>(runtime, std::move(calls));
  iree_vm_module_t interface;
  Check(iree_vm_module_initialize(&interface, self.get()),
        "making the module of custom calls");
  interface.destroy = [](void* module) {
    delete static_cast<ForeignModule*>(module);
  };
  interface.begin_call = &BeginCall;
  VmModule module;
  Check(iree_vm_native_module_create(&interface, self->descriptor(),
                                     runtime.instance(),
                                     iree_allocator_system(), module.out()),
        "making the module of custom calls");
  self.release();
  return module;
}

}  // namespace iree_pjrt
