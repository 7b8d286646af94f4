// SPDX-License-Identifier: Apache-2.0
#include "compile/pass_pipeline.h"

#include <string>
#include <utility>

#include "base/platform.h"
#include "base/status.h"

namespace iree_pjrt {

PassPipeline::PassPipeline(const MlirApi& api, MlirContext context,
                           const PassList& passes)
    : api_(api),
      manager_(api.mlirPassManagerCreate(context)),
      may_give_up_(passes.may_give_up) {
  // Between its passes IREE's own IR does not verify (convolutions).
  api.mlirPassManagerEnableVerifier(manager_, false);
  const std::string text = "builtin.module(" + passes.pipeline + ")";
  std::string message;
  const MlirLogicalResult parsed = api.mlirParsePassPipeline(
      api.mlirPassManagerGetAsOpPassManager(manager_),
      MlirStringRef{text.data(), text.size()}, &AppendToString, &message);
  if (parsed.value) return;
  api.mlirPassManagerDestroy(manager_);
  throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
              "this plugin works with iree-base-compiler " +
                  std::string(kIreeVersion) +
                  "; the compiler library lacks a pass of it: " + message);
}

PassPipeline::~PassPipeline() {
  if (manager_.ptr) api_.mlirPassManagerDestroy(manager_);
}

PassPipeline::PassPipeline(PassPipeline&& other) noexcept
    : api_(other.api_),
      manager_(std::exchange(other.manager_, MlirPassManager{})),
      may_give_up_(other.may_give_up_) {}

bool PassPipeline::Run(MlirOperation module) const {
  return api_.mlirPassManagerRunOnOp(manager_, module).value != 0;
}

std::vector<PassPipeline> MakePipelines(const MlirApi& api, MlirContext context,
                                        const std::vector<PassList>& list) {
  std::vector<PassPipeline> pipelines;
  for (const PassList& passes : list) {
    pipelines.emplace_back(api, context, passes);
  }
  return pipelines;
}

}  // namespace iree_pjrt
