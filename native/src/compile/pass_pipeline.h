// SPDX-License-Identifier: Apache-2.0
// Passes of IREE that one context keeps from program to program. Making them
// costs more than running them over a small program: each canonicalizer
// gathers the patterns of every operation of every dialect.
#ifndef IREE_PJRT_COMPILE_PASS_PIPELINE_H_
#define IREE_PJRT_COMPILE_PASS_PIPELINE_H_

#include <vector>

#include "compile/pass_lists.h"
#include "mlir/mlir_c.h"

namespace iree_pjrt {

class PassPipeline {
 public:
  // Throws FAILED_PRECONDITION, with its name, for a pass that the library does
  // not have: one that may give up would be left out silently.
  // `api` and `context` must outlive it.
  PassPipeline(const MlirApi& api, MlirContext context, const PassList& passes);
  ~PassPipeline();
  PassPipeline(PassPipeline&& other) noexcept;
  PassPipeline& operator=(PassPipeline&&) = delete;

  // False where a pass failed; diagnostics say why. One thread at a time.
  bool Run(MlirOperation module) const;

  bool may_give_up() const { return may_give_up_; }

 private:
  const MlirApi& api_;
  MlirPassManager manager_;
  const bool may_give_up_;
};

std::vector<PassPipeline> MakePipelines(const MlirApi& api, MlirContext context,
                                        const std::vector<PassList>& list);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_PASS_PIPELINE_H_
