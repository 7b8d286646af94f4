// SPDX-License-Identifier: Apache-2.0
#include "ffi/registry.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/platform.h"
#include "base/status.h"
#include "ffi/api.h"
#include "ffi/fft.h"
#include "ffi/lu_pivots.h"
#include "ffi/sort.h"
#include "ffi/tile_product.h"

namespace iree_pjrt {
namespace {

// The minor version of the FFI with which `handler` was compiled.
int AskVersion(std::string_view name, XLA_FFI_Handler* handler) {
  // Later minors of the FFI have more type ids than the locked header.
  struct {
    XLA_FFI_Metadata metadata;
    XLA_FFI_TypeId state_type_id[4];
  } answer{};
  answer.metadata.struct_size = sizeof(answer);
  XLA_FFI_Metadata_Extension extension{};
  extension.extension_base.struct_size = XLA_FFI_Metadata_Extension_STRUCT_SIZE;
  extension.extension_base.type = XLA_FFI_Extension_Metadata;
  extension.metadata = &answer.metadata;
  XLA_FFI_CallFrame frame{};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.extension_start = &extension.extension_base;
  frame.api = &GetFfiApi()->base;
  frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
  ThrowIfFailed(handler(&frame), "the handler of '" + std::string(name) + "'");
  const XLA_FFI_Api_Version& version = answer.metadata.api_version;
  if (version.major_version != XLA_FFI_API_MAJOR || version.minor_version < 0) {
    ThrowInvalidArgument(
        "the handler of '" + std::string(name) + "' speaks version " +
        std::to_string(version.major_version) + "." +
        std::to_string(version.minor_version) + " of the FFI; supported is 0");
  }
  return version.minor_version;
}

// A handler of the plugin's own, of the version of the FFI that it has.
template <void (*kAnswer)(const XLA_FFI_CallFrame&)>
XLA_FFI_Error* Handle(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start) return nullptr;
  try {
    kAnswer(*frame);
    return nullptr;
  } catch (...) {
    return CurrentExceptionAsFfiError();
  }
}

struct OwnHandler {
  std::string_view target;
  XLA_FFI_Handler* execute;
};

constexpr OwnHandler kOwn[] = {
    {kFftTarget, &Handle<&AnswerFft>},
    {kLuPivotsTarget, &Handle<&AnswerLuPivots>},
    {kSortTarget, &Handle<&AnswerSort>},
    {kTileProductTarget, &Handle<&AnswerTileProduct>},
};

}  // namespace

HandlerRegistry& HandlerRegistry::Get() {
  static auto& registry = *[] {
    auto* made = new HandlerRegistry();
    for (const auto& [target, execute] : kOwn) {
      made->Register(target, {nullptr, nullptr, nullptr, execute});
    }
    return made;
  }();
  return registry;
}

void HandlerRegistry::Register(std::string_view name,
                               const XLA_FFI_Handler_Bundle& stages) {
  if (!stages.execute) {
    ThrowInvalidArgument("the handler of '" + std::string(name) +
                         "' has no stage 'execute'");
  }
  const int minor = AskVersion(name, stages.execute);
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [found, added] =
      handlers_.try_emplace(std::string(name), Handler{stages, minor});
  if (!added &&
      std::memcmp(&found->second.stages, &stages, sizeof(stages)) != 0) {
    throw Error(PJRT_Error_Code_ALREADY_EXISTS,
                "another handler is registered for '" + std::string(name) +
                    "' on platform " + kPlatformName);
  }
}

std::optional<Handler> HandlerRegistry::Find(std::string_view name) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = handlers_.find(name);
  if (found == handlers_.end()) return std::nullopt;
  return found->second;
}

Handler HandlerRegistry::Require(std::string_view name) const {
  if (const auto handler = Find(name)) return *handler;
  throw Error(PJRT_Error_Code_NOT_FOUND,
              "no FFI handler is registered for the custom call '" +
                  std::string(name) + "' on platform " + kPlatformName +
                  "; call jax.ffi.register_ffi_target(..., platform=\"" +
                  kPlatformName + "\") first");
}

void HandlerRegistry::RequireToCompile(std::string_view name) const {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (announced_.contains(name)) return;
  }
  Require(name);
}

void HandlerRegistry::Announce(const std::vector<std::string>& names) {
  std::lock_guard<std::mutex> lock(mutex_);
  announced_.insert(names.begin(), names.end());
}

std::vector<std::string> HandlerRegistry::Names() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, handler] : handlers_) names.push_back(name);
  return names;
}

bool OnlyComputes(std::string_view target) {
  return target.starts_with("lapack_") ||
         std::ranges::find(kOwn, target, &OwnHandler::target) != std::end(kOwn);
}

int64_t HandlerRegistry::RegisterType(std::string_view name, int64_t id,
                                      Deleter deleter) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto next = static_cast<int64_t>(types_.size()) + 1;
  const auto [found, added] =
      types_.try_emplace(std::string(name), Type{next, deleter});
  if (id != 0 && id != found->second.id) {
    if (added) types_.erase(found);
    throw Error(PJRT_Error_Code_ALREADY_EXISTS,
                "the FFI type '" + std::string(name) + "' has another number");
  }
  return found->second.id;
}

HandlerRegistry::Deleter HandlerRegistry::DeleterOf(int64_t type_id) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [name, type] : types_) {
    if (type.id == type_id) return type.deleter;
  }
  return nullptr;
}

}  // namespace iree_pjrt
