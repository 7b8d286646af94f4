// SPDX-License-Identifier: Apache-2.0
#include "api/profiler.h"

#include <cstring>
#include <string>
#include <string_view>

#include "api/guard.h"
#include "base/error.h"
#include "base/leak_boundary.h"
#include "base/status.h"
#include "base/wire.h"
#include "trace/trace.h"
#include "trace/xspace.h"

struct PLUGIN_Profiler {
  bool wanted = true;
  bool recording = false;
  // The last recording, serialized; callers read it until the next one starts.
  std::string space;
};

struct PLUGIN_Profiler_Error {
  PJRT_Error* error;  // owned
};

namespace iree_pjrt {
namespace {

// Reads a message ProfileOptions. A level of 0 turns a tracer off; it is also
// the default of an unset field, so it counts only if the caller has set the
// message's version.
bool WantsDevices(std::string_view options) {
  constexpr uint64_t kDeviceTracerLevel = 3;
  constexpr uint64_t kVersion = 5;
  int64_t level = 0;
  int64_t version = 0;
  for (WireReader reader(options); reader.Next();) {
    if (reader.field() == kDeviceTracerLevel) level = reader.number();
    if (reader.field() == kVersion) version = reader.number();
  }
  return version == 0 || level > 0;
}

void Create(PLUGIN_Profiler_Create_Args& args) {
  const std::string_view options(args.options ? args.options : "",
                                 args.options ? args.options_size : 0);
  auto profiler = std::make_unique<PLUGIN_Profiler>();
  profiler->wanted = WantsDevices(options);
  args.profiler = profiler.release();
}

PLUGIN_Profiler& Of(PLUGIN_Profiler* profiler) {
  if (!profiler) ThrowInvalidArgument("profiler is null");
  return *profiler;
}

void StopAndSerialize(PLUGIN_Profiler& profiler) {
  if (!profiler.recording) return;
  profiler.recording = false;
  profiler.space = SerializeXSpace(StopRecording());
}

void Destroy(PLUGIN_Profiler_Destroy_Args& args) {
  const std::unique_ptr<PLUGIN_Profiler> profiler(args.profiler);
  if (profiler && profiler->recording) StopRecording();
}

void Start(PLUGIN_Profiler_Start_Args& args) {
  PLUGIN_Profiler& profiler = Of(args.profiler);
  if (profiler.recording || !profiler.wanted) return;
  if (!StartRecording()) {
    throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
                "another profiler is recording; there is one at a time");
  }
  profiler.recording = true;
  profiler.space.clear();
}

void Stop(PLUGIN_Profiler_Stop_Args& args) {
  StopAndSerialize(Of(args.profiler));
}

void CollectData(PLUGIN_Profiler_CollectData_Args& args) {
  PLUGIN_Profiler& profiler = Of(args.profiler);
  if (profiler.recording) {
    throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
                "the profiler is recording: stop it first");
  }
  std::string& space = profiler.space;
  if (!args.buffer) {
    // The header has the caller allocate one; XLA reads what it finds here.
    args.buffer = reinterpret_cast<uint8_t*>(space.data());
  } else if (args.buffer != reinterpret_cast<uint8_t*>(space.data())) {
    std::memcpy(args.buffer, space.data(), space.size());
  }
  args.buffer_size_in_bytes = space.size();
}

void ErrorDestroy(PLUGIN_Profiler_Error_Destroy_Args* args) noexcept {
  if (!args->error) return;
  PJRT_Error_Destroy_Args destroy{};
  destroy.error = args->error->error;
  iree_pjrt::ErrorDestroy(destroy);
  delete args->error;
}

void ErrorMessage(PLUGIN_Profiler_Error_Message_Args* args) noexcept {
  const std::string& message = args->error->error->error.message();
  args->message = message.c_str();
  args->message_size = message.size();
}

PLUGIN_Profiler_Error* ErrorCode(
    PLUGIN_Profiler_Error_GetCode_Args* args) noexcept {
  args->code = args->error->error->error.code();
  return nullptr;
}

// The counterpart of api/guard.h for these structs, which have no extensions,
// and the same fields in all versions.
template <typename Args, void (*kFunction)(Args&)>
PLUGIN_Profiler_Error* Guard(Args* args) noexcept {
  try {
    CallAtLeakBoundary([args] { kFunction(*args); });
    return nullptr;
  } catch (...) {
    return new (std::nothrow)
        PLUGIN_Profiler_Error{CurrentExceptionAsError("the profiler")};
  }
}

}  // namespace

PLUGIN_Profiler_Api* ProfilerApi() {
  static PLUGIN_Profiler_Api api = {
      PLUGIN_Profiler_Api_STRUCT_SIZE,
      /*priv=*/nullptr,
      &ErrorDestroy,
      &ErrorMessage,
      &ErrorCode,
      &Guard<PLUGIN_Profiler_Create_Args, &Create>,
      &Guard<PLUGIN_Profiler_Destroy_Args, &Destroy>,
      &Guard<PLUGIN_Profiler_Start_Args, &Start>,
      &Guard<PLUGIN_Profiler_Stop_Args, &Stop>,
      &Guard<PLUGIN_Profiler_CollectData_Args, &CollectData>,
  };
  return &api;
}

}  // namespace iree_pjrt
