// SPDX-License-Identifier: Apache-2.0
#include "program/framework_passes.h"

#include <optional>

#include "base/status.h"
#include "bytecode/bytecode.h"

namespace iree_pjrt {
namespace {

constexpr int32_t kShown = 2;

struct Reply {
  int32_t ok = 0;
  std::optional<std::string> data;
  std::string shown;

  static void Receive(void* context, int32_t ok, const char* data,
                      size_t size) noexcept {
    auto* reply = static_cast<Reply*>(context);
    if (ok == kShown) {
      reply->shown.assign(data ? data : "", data ? size : 0);
      return;
    }
    reply->ok = ok;
    reply->data.emplace(data ? data : "", data ? size : 0);
  }
};

[[noreturn]] void ThrowNoCallback(bool several) {
  ThrowUnimplemented(
      std::string(several
                      ? "the program is for several devices, which takes a "
                        "rewriting of it"
                      : "the program holds Shardy's dialect 'sdy', which the "
                        "IREE compiler cannot read") +
      ", and no framework_passes was given to the client. Load the plugin "
      "through its Python package, which registers one" +
      (several ? ""
               : ", or set jax.config.update('jax_use_shardy_partitioner', "
                 "False)"));
}

}  // namespace

PlainProgram RunFrameworkPasses(std::string_view program, int64_t num_replicas,
                                int64_t num_partitions,
                                iree_pjrt_framework_passes_fn callback) {
  const bool sharded = HoldsDialect(program, "sdy");
  const bool several = num_replicas * num_partitions > 1;
  if (!several && !sharded) return {std::string(program), ""};
  if (!callback) ThrowNoCallback(several);
  Reply reply;
  callback(program.data(), program.size(), num_replicas, num_partitions,
           &Reply::Receive, &reply);
  if (!reply.data) ThrowInternal("framework_passes returned without a reply");
  if (!reply.ok) {
    ThrowInvalidArgument("the program could not be prepared for IREE: " +
                         *reply.data);
  }
  if (HoldsDialect(*reply.data, "sdy")) {
    ThrowInternal("framework_passes left 'sdy' in the program");
  }
  return {std::move(*reply.data), std::move(reply.shown)};
}

}  // namespace iree_pjrt
