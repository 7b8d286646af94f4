// SPDX-License-Identifier: Apache-2.0
#include "cpu/object_loader.h"

#include <deque>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "iree/hal/local/executable_loader.h"
// The header does not say that it is C.
extern "C" {
#include "iree/hal/local/executable_library_util.h"
}
#include "base/object_list.h"
#include "base/status.h"
#include "cpu/object_image.h"
#include "release/library_executable.h"
#include "trace/trace.h"

namespace iree_pjrt {
namespace {

constexpr char kFormat[] = "static";
constexpr char kEntrySuffix[] = "_library_query";

struct ObjectExecutable : LibraryExecutable {
  explicit ObjectExecutable(const iree_hal_executable_params_t& params);
  ~ObjectExecutable() { iree_hal_local_executable_deinitialize(&base); }
  ObjectExecutable(const ObjectExecutable&) = delete;
  ObjectExecutable& operator=(const ObjectExecutable&) = delete;

  // The library of an image.
  const iree_hal_executable_library_v0_t& Query(const ObjectImage& image) const;
  // Takes the functions of the other images for those of their names.
  void TakeOthers();

  std::vector<uint32_t> constants;
  std::deque<ObjectImage> images;
  // That of the first image, with the entry points of all.
  iree_hal_executable_library_v0_t table;
  std::vector<iree_hal_executable_dispatch_v0_t> entry_points;
  // Their names, for traces.
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
  const auto& executable = *static_cast<ObjectExecutable*>(
      reinterpret_cast<LibraryExecutable*>(base));
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
  delete static_cast<ObjectExecutable*>(
      reinterpret_cast<LibraryExecutable*>(executable));
}

const iree_hal_local_executable_vtable_t* ExecutableVtable() {
  static const iree_hal_local_executable_vtable_t vtable = {
      .base = LibraryExecutableVtable(&DestroyExecutable),
      .issue_call = &IssueCall,
  };
  return &vtable;
}

ObjectExecutable::ObjectExecutable(const iree_hal_executable_params_t& params)
    : constants(params.constants, params.constants + params.constant_count) {
  iree_hal_local_executable_initialize(ExecutableVtable(),
                                       iree_allocator_system(), &base);
  base.environment.constants = constants.data();
  for (const std::string_view object : UnpackObjects(
           {reinterpret_cast<const char*>(params.executable_data.data),
            params.executable_data.data_length})) {
    images.emplace_back(object, kEntrySuffix);
  }
  if (images.empty()) ThrowInvalidArgument("no compiled object");
  table = Query(images.front());
  for (const auto function :
       std::span(table.exports.ptrs, table.exports.count)) {
    entry_points.push_back(function);
    names.push_back(std::make_shared<const std::string>(
        images.front().NameOf(reinterpret_cast<const void*>(function))));
  }
  table.exports.ptrs = entry_points.data();
  SetLibrary(*this, &table);
  if (images.size() > 1) TakeOthers();
}

void ObjectExecutable::TakeOthers() {
  std::map<std::string_view, size_t> places;
  for (size_t i = 0; i < names.size(); ++i) places.emplace(*names[i], i);
  for (const ObjectImage& image : images | std::views::drop(1)) {
    const auto& exports = Query(image).exports;
    for (const auto function : std::span(exports.ptrs, exports.count)) {
      const std::string_view name =
          image.NameOf(reinterpret_cast<const void*>(function));
      const auto place = places.find(name);
      if (place == places.end()) {
        ThrowInvalidArgument("a compiled object has a function '" +
                             std::string(name) + "' that nothing calls");
      }
      entry_points[place->second] = function;
    }
  }
}

const iree_hal_executable_library_v0_t& ObjectExecutable::Query(
    const ObjectImage& image) const {
  const auto query =
      reinterpret_cast<iree_hal_executable_library_query_fn_t>(image.entry());
  const iree_hal_executable_library_header_t** header =
      query(IREE_HAL_EXECUTABLE_LIBRARY_VERSION_LATEST, &base.environment);
  if (!header) {
    ThrowInvalidArgument("the compiled object is for another runtime");
  }
  const auto& found =
      *reinterpret_cast<const iree_hal_executable_library_v0_t*>(header);
  if (found.imports.count > 0) {
    ThrowUnimplemented("imports of the compiled object");
  }
  return found;
}

iree_status_t Load(const iree_hal_executable_params_t& params,
                   iree_hal_executable_t** out_executable) {
  auto executable = std::make_unique<ObjectExecutable>(params);
  IREE_RETURN_IF_ERROR(
      iree_hal_executable_library_verify(&params, executable->library));
  *out_executable =
      reinterpret_cast<iree_hal_executable_t*>(&executable.release()->base);
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
