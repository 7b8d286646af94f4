// SPDX-License-Identifier: Apache-2.0
#include "cpu/object_loader.h"

#include <string>
#include <vector>

#include "iree/hal/local/executable_loader.h"
#include "iree/hal/local/local_executable.h"
// The header does not say that it is C.
extern "C" {
#include "iree/hal/local/executable_library_util.h"
}
#include "base/status.h"
#include "cpu/object_image.h"
#include "trace/trace.h"

namespace iree_pjrt {
namespace {

constexpr char kFormat[] = "static";
constexpr char kEntrySuffix[] = "_library_query";

// `base` comes first: IREE casts pointers to it back and forth.
struct ObjectExecutable {
  explicit ObjectExecutable(const iree_hal_executable_params_t& params);
  ~ObjectExecutable() { iree_hal_local_executable_deinitialize(&base); }
  ObjectExecutable(const ObjectExecutable&) = delete;
  ObjectExecutable& operator=(const ObjectExecutable&) = delete;

  static ObjectExecutable& Of(iree_hal_executable_t* executable) {
    return *reinterpret_cast<ObjectExecutable*>(executable);
  }
  static const iree_hal_executable_library_v0_t* LibraryOf(
      iree_hal_executable_t* executable) {
    return Of(executable).library;
  }

  iree_hal_local_executable_t base;
  std::vector<uint32_t> constants;
  ObjectImage image;
  const iree_hal_executable_library_v0_t* library;
  // Of the entry points, for traces.
  std::vector<TraceName> names;
};

// A number that grows from workgroup to workgroup of a dispatch.
int64_t IndexOf(const iree_hal_executable_dispatch_state_v0_t& dispatch,
                const iree_hal_executable_workgroup_state_v0_t& workgroup) {
  const int64_t rows = static_cast<int64_t>(workgroup.workgroup_id_z) *
                           dispatch.workgroup_count_y +
                       workgroup.workgroup_id_y;
  return rows * dispatch.workgroup_count_x + workgroup.workgroup_id_x;
}

iree_status_t IssueCall(
    iree_hal_local_executable_t* base, iree_host_size_t ordinal,
    const iree_hal_executable_dispatch_state_v0_t* dispatch_state,
    const iree_hal_executable_workgroup_state_v0_t* workgroup_state,
    uint32_t /*worker_id*/) {
  const auto& executable = *reinterpret_cast<ObjectExecutable*>(base);
  const auto* library = executable.library;
  if (IREE_UNLIKELY(ordinal >= library->exports.count)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "entry point ordinal out of bounds");
  }
  const Zone zone(*executable.names[ordinal]);
  const uint32_t recording = CurrentRecording();
  const int64_t begin = recording ? TraceClock() : 0;
  const int result = library->exports.ptrs[ordinal](
      &base->environment, dispatch_state, workgroup_state);
  if (recording) {
    RecordWorkgroup(recording, executable.names[ordinal],
                    IndexOf(*dispatch_state, *workgroup_state), begin);
  }
  return result == 0
             ? iree_ok_status()
             : iree_make_status(IREE_STATUS_INTERNAL,
                                "entry point returned error %d", result);
}

void DestroyExecutable(iree_hal_executable_t* executable) {
  delete &ObjectExecutable::Of(executable);
}

iree_host_size_t ExportCount(iree_hal_executable_t* executable) {
  return iree_hal_executable_library_export_count(
      ObjectExecutable::LibraryOf(executable));
}

iree_status_t ExportInfo(iree_hal_executable_t* executable,
                         iree_hal_executable_export_ordinal_t ordinal,
                         iree_hal_executable_export_info_t* out_info) {
  return iree_hal_executable_library_export_info(
      ObjectExecutable::LibraryOf(executable), ordinal, out_info);
}

iree_status_t ExportParameters(
    iree_hal_executable_t* executable,
    iree_hal_executable_export_ordinal_t ordinal, iree_host_size_t capacity,
    iree_hal_executable_export_parameter_t* out_parameters) {
  return iree_hal_executable_library_export_parameters(
      ObjectExecutable::LibraryOf(executable), ordinal, capacity,
      out_parameters);
}

iree_status_t LookupExport(iree_hal_executable_t* executable,
                           iree_string_view_t name,
                           iree_hal_executable_export_ordinal_t* out_ordinal) {
  return iree_hal_executable_library_lookup_export_by_name(
      ObjectExecutable::LibraryOf(executable), name, out_ordinal);
}

constexpr iree_hal_local_executable_vtable_t kExecutableVtable = {
    .base = {.destroy = &DestroyExecutable,
             .export_count = &ExportCount,
             .export_info = &ExportInfo,
             .export_parameters = &ExportParameters,
             .lookup_export_by_name = &LookupExport},
    .issue_call = &IssueCall,
};

ObjectExecutable::ObjectExecutable(const iree_hal_executable_params_t& params)
    : constants(params.constants, params.constants + params.constant_count),
      image({reinterpret_cast<const char*>(params.executable_data.data),
             params.executable_data.data_length},
            kEntrySuffix) {
  iree_hal_local_executable_initialize(&kExecutableVtable,
                                       iree_allocator_system(), &base);
  base.environment.constants = constants.data();
  const auto query =
      reinterpret_cast<iree_hal_executable_library_query_fn_t>(image.entry());
  const iree_hal_executable_library_header_t** header =
      query(IREE_HAL_EXECUTABLE_LIBRARY_VERSION_LATEST, &base.environment);
  if (!header) {
    ThrowInvalidArgument("the compiled object is for another runtime");
  }
  library = reinterpret_cast<const iree_hal_executable_library_v0_t*>(header);
  base.dispatch_attrs = library->exports.attrs;
  for (uint32_t i = 0; i < library->exports.count; ++i) {
    names.push_back(std::make_shared<const std::string>(
        image.NameOf(reinterpret_cast<const void*>(library->exports.ptrs[i]))));
  }
}

iree_status_t Load(const iree_hal_executable_params_t& params,
                   iree_hal_executable_t** out_executable) {
  auto executable = std::make_unique<ObjectExecutable>(params);
  if (executable->library->imports.count > 0) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "imports of the compiled object");
  }
  IREE_RETURN_IF_ERROR(
      iree_hal_executable_library_verify(&params, executable->library));
  *out_executable =
      reinterpret_cast<iree_hal_executable_t*>(executable.release());
  return iree_ok_status();
}

iree_status_t TryLoad(iree_hal_executable_loader_t*,
                      const iree_hal_executable_params_t* params,
                      iree_host_size_t /*worker_capacity*/,
                      iree_hal_executable_t** out_executable) {
  *out_executable = nullptr;
  // No exception may pass through IREE's C.
  try {
    return Load(*params, out_executable);
  } catch (const Error& error) {
    return iree_make_status(static_cast<iree_status_code_t>(error.code()), "%s",
                            error.what());
  } catch (const std::exception& error) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED, "%s", error.what());
  }
}

iree_status_t InferFormat(iree_hal_executable_loader_t*,
                          iree_hal_executable_caching_mode_t,
                          iree_const_byte_span_t, iree_host_size_t, char*,
                          iree_host_size_t*) {
  return iree_status_from_code(IREE_STATUS_INCOMPATIBLE);
}

bool QuerySupport(iree_hal_executable_loader_t*,
                  iree_hal_executable_caching_mode_t,
                  iree_string_view_t format) {
  return iree_string_view_equal(format, iree_make_cstring_view(kFormat));
}

void DestroyLoader(iree_hal_executable_loader_t* loader) { delete loader; }

constexpr iree_hal_executable_loader_vtable_t kLoaderVtable = {
    .destroy = &DestroyLoader,
    .infer_format = &InferFormat,
    .query_support = &QuerySupport,
    .try_load = &TryLoad,
};

}  // namespace

iree_hal_executable_loader_t* CreateObjectLoader() {
  auto* loader = new iree_hal_executable_loader_t;
  iree_hal_executable_loader_initialize(
      &kLoaderVtable, iree_hal_executable_import_provider_null(), loader);
  return loader;
}

}  // namespace iree_pjrt
