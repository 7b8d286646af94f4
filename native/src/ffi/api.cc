// SPDX-License-Identifier: Apache-2.0
#include "ffi/api.h"

#include <condition_variable>
#include <cstdlib>
#include <new>

#include "base/leak_boundary.h"
#include "ffi/registry.h"
#include "ffi/task_pool.h"
#include "runtime/share_work.h"

struct XLA_FFI_Future {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  XLA_FFI_Error* error = nullptr;
};

namespace iree_pjrt {
namespace {

template <auto kFunction, typename Args>
XLA_FFI_Error* GuardedFfi(Args* args) noexcept {
  try {
    CallAtLeakBoundary([args] { kFunction(*args); });
    return nullptr;
  } catch (...) {
    return CurrentExceptionAsFfiError();
  }
}

// Casts a function pointer to one whose arguments are the same struct under
// another name.
template <typename To, typename From>
To Cast(From function) {
  return reinterpret_cast<To>(function);
}

std::string_view View(const XLA_FFI_ByteSpan& span) {
  return {span.ptr, span.len};
}

XLA_FFI_Error* ErrorCreate(XLA_FFI_Error_Create_Args* args) {
  return new XLA_FFI_Error{Error(static_cast<PJRT_Error_Code>(args->errc),
                                 args->message ? args->message : "")};
}

void ErrorGetDetails(FfiErrorGetDetails* args) {
  args->message = args->error->error.message().c_str();
  if (args->struct_size >= sizeof(FfiErrorGetDetails)) {
    args->errc = static_cast<XLA_FFI_Error_Code>(args->error->error.code());
  }
}

void ErrorDestroy(XLA_FFI_Error_Destroy_Args* args) { delete args->error; }

void HandlerRegister(XLA_FFI_Handler_Register_Args& args) {
  HandlerRegistry::Get().Register(View(args.name), args.bundle);
}

void StreamGet(XLA_FFI_Stream_Get_Args&) {
  ThrowUnimplemented("this platform has no streams");
}

void TypeRegister(XLA_FFI_Type_Register_Args& args) {
  const bool informed =
      args.struct_size >= XLA_FFI_Type_Register_Args_STRUCT_SIZE &&
      args.type_info;
  args.type_id->type_id = HandlerRegistry::Get().RegisterType(
      View(args.name), args.type_id->type_id,
      informed ? args.type_info->deleter : nullptr);
}

void ContextGet(XLA_FFI_ExecutionContext_Get_Args& args) {
  throw Error(PJRT_Error_Code_NOT_FOUND,
              "no user data of type " + std::to_string(args.type_id->type_id) +
                  " is attached to this execution");
}

HandlerState& StateOf(XLA_FFI_ExecutionContext& ctx,
                      XLA_FFI_ExecutionStage stage) {
  if (stage < XLA_FFI_ExecutionStage_INSTANTIATE ||
      stage > XLA_FFI_ExecutionStage_INITIALIZE || !ctx.states[stage]) {
    ThrowInvalidArgument("there is no state in this stage of execution");
  }
  return *ctx.states[stage];
}

void StateSet(XLA_FFI_State_Set_Args& args) {
  XLA_FFI_ExecutionContext& ctx = *args.ctx;
  if (ctx.minor >= kFfiMinorOfStagedStates) {
    const auto& staged = reinterpret_cast<const FfiStateSetOfStage&>(args);
    StateOf(ctx, staged.stage).Set(*staged.type_id, staged.state, nullptr);
    return;
  }
  void (*deleter)(void*) = nullptr;
  if (ctx.minor <= kFfiMinorOfDeleters) {
    deleter = reinterpret_cast<const FfiStateSetWithDeleter&>(args).deleter;
  }
  StateOf(ctx, XLA_FFI_ExecutionStage_INSTANTIATE)
      .Set(*args.type_id, args.state, deleter);
}

void StateGet(XLA_FFI_State_Get_Args& args) {
  XLA_FFI_ExecutionContext& ctx = *args.ctx;
  if (ctx.minor >= kFfiMinorOfStagedStates) {
    auto& staged = reinterpret_cast<FfiStateGetOfStage&>(args);
    staged.state = StateOf(ctx, staged.stage).Get(*staged.type_id);
    return;
  }
  args.state =
      StateOf(ctx, XLA_FFI_ExecutionStage_INSTANTIATE).Get(*args.type_id);
}

void DeviceMemoryAllocate(XLA_FFI_DeviceMemory_Allocate_Args& args) {
  const size_t alignment = args.alignment > 64 ? args.alignment : 64;
  const size_t size = (args.size + alignment - 1) / alignment * alignment;
  args.data = std::aligned_alloc(alignment, size ? size : alignment);
  if (!args.data) {
    throw Error(PJRT_Error_Code_RESOURCE_EXHAUSTED,
                "out of memory: a custom call asked for " +
                    std::to_string(args.size) + " bytes");
  }
}

void DeviceMemoryFree(XLA_FFI_DeviceMemory_Free_Args& args) {
  std::free(args.data);
}

// Of as many tasks as there are threads the last one is the caller's, which
// would only wait for the others.
void ThreadPoolSchedule(XLA_FFI_ThreadPool_Schedule_Args& args) {
  const size_t threads = WorkThreads();
  if (++args.ctx->tasks % threads == 0) {
    args.task(args.data);
  } else {
    TaskPool::Get().Add(args.task, args.data, threads - 1);
  }
}

void ThreadPoolNumThreads(XLA_FFI_ThreadPool_NumThreads_Args& args) {
  *args.num_threads = static_cast<int64_t>(WorkThreads());
}

void FutureCreate(XLA_FFI_Future_Create_Args& args) {
  args.future = new XLA_FFI_Future();
}

void Complete(XLA_FFI_Future& future, XLA_FFI_Error* error) {
  // Notified under the lock, since whoever waits deletes the future.
  std::lock_guard<std::mutex> lock(future.mutex);
  future.done = true;
  future.error = error;
  future.changed.notify_all();
}

void FutureSetAvailable(XLA_FFI_Future_SetAvailable_Args& args) {
  Complete(*args.future, nullptr);
}

void FutureSetError(XLA_FFI_Future_SetError_Args& args) {
  Complete(*args.future, args.error);
}

void RunIdGet(XLA_FFI_RunId_Get_Args& args) { args.run_id = args.ctx->run_id; }

void DeviceOrdinalGet(XLA_FFI_DeviceOrdinal_Get_Args& args) {
  args.device_ordinal = args.ctx->device_ordinal;
}

void FindExtension(FfiFindExtension& args) { args.extension = nullptr; }

void CustomOptionsGet(FfiCustomOptionsGet& args) {
  static XLA_FFI_Attrs none{
      XLA_FFI_Attrs_STRUCT_SIZE, nullptr, 0, nullptr, nullptr, nullptr};
  args.attrs = &none;
}

FfiApi MakeFfiApi() {
  FfiApi api{};
  XLA_FFI_Api& base = api.base;
  base.struct_size = sizeof(FfiApi);
  base.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  base.api_version.major_version = XLA_FFI_API_MAJOR;
  base.api_version.minor_version = kFfiMinor;
  base.XLA_FFI_Error_Create = &ErrorCreate;
  base.XLA_FFI_Error_GetMessage =
      Cast<XLA_FFI_Error_GetMessage*>(&ErrorGetDetails);
  base.XLA_FFI_Error_Destroy = &ErrorDestroy;
  base.XLA_FFI_Handler_Register = &GuardedFfi<&HandlerRegister>;
  base.XLA_FFI_Stream_Get = &GuardedFfi<&StreamGet>;
  base.XLA_FFI_Type_Register = &GuardedFfi<&TypeRegister>;
  base.XLA_FFI_ExecutionContext_Get = &GuardedFfi<&ContextGet>;
  base.XLA_FFI_State_Set = &GuardedFfi<&StateSet>;
  base.XLA_FFI_State_Get = &GuardedFfi<&StateGet>;
  base.XLA_FFI_DeviceMemory_Allocate = &GuardedFfi<&DeviceMemoryAllocate>;
  base.XLA_FFI_DeviceMemory_Free = &GuardedFfi<&DeviceMemoryFree>;
  base.XLA_FFI_ThreadPool_Schedule = &GuardedFfi<&ThreadPoolSchedule>;
  base.XLA_FFI_ThreadPool_NumThreads = &GuardedFfi<&ThreadPoolNumThreads>;
  base.XLA_FFI_Future_Create = &GuardedFfi<&FutureCreate>;
  base.XLA_FFI_Future_SetAvailable = &GuardedFfi<&FutureSetAvailable>;
  base.XLA_FFI_Future_SetError = &GuardedFfi<&FutureSetError>;
  base.XLA_FFI_RunId_Get = &GuardedFfi<&RunIdGet>;
  base.XLA_FFI_DeviceOrdinal_Get = &GuardedFfi<&DeviceOrdinalGet>;
  api.find_extension = &GuardedFfi<&FindExtension>;
  api.custom_options_get = &GuardedFfi<&CustomOptionsGet>;
  return api;
}

}  // namespace

XLA_FFI_Error* CurrentExceptionAsFfiError() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return new (std::nothrow) XLA_FFI_Error{error};
  } catch (const std::exception& error) {
    return new (std::nothrow)
        XLA_FFI_Error{Error(PJRT_Error_Code_INTERNAL, error.what())};
  } catch (...) {
    return new (std::nothrow) XLA_FFI_Error{
        Error(PJRT_Error_Code_INTERNAL, "an exception of unknown type")};
  }
}

const FfiApi* GetFfiApi() {
  static const FfiApi api = MakeFfiApi();
  return &api;
}

void ThrowIfFailed(XLA_FFI_Error* error, const std::string& what) {
  if (!error) return;
  const Error copy(error->error.code(), what + ": " + error->error.message());
  delete error;
  throw copy;
}

HandlerState::~HandlerState() {
  if (object_ && deleter_) deleter_(object_);
}

void HandlerState::Set(XLA_FFI_TypeId type, void* object,
                       void (*deleter)(void*)) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (object_) {
    throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
                "the state of this stage is already set");
  }
  type_ = type;
  object_ = object;
  deleter_ = deleter ? deleter : HandlerRegistry::Get().DeleterOf(type.type_id);
}

void* HandlerState::Get(XLA_FFI_TypeId type) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!object_) throw Error(PJRT_Error_Code_NOT_FOUND, "no state is set");
  if (type_.type_id != type.type_id) {
    ThrowInvalidArgument("the state is of another type");
  }
  return object_;
}

void RefuseCall(std::string_view target) {
  ThrowInvalidArgument("a damaged call of " + std::string(target));
}

void AwaitFuture(XLA_FFI_Future* future, const std::string& what) {
  if (!future) return;
  XLA_FFI_Error* error = nullptr;
  {
    std::unique_lock<std::mutex> lock(future->mutex);
    future->changed.wait(lock, [future] { return future->done; });
    error = future->error;
  }
  delete future;
  ThrowIfFailed(error, what);
}

}  // namespace iree_pjrt

const XLA_FFI_Api* XLA_FFI_GetApi() { return &iree_pjrt::GetFfiApi()->base; }
