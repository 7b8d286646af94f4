// SPDX-License-Identifier: Apache-2.0
// Helper processes that are kept from program to program: as many as have been
// wanted at once, at most one for each core. Thread-safe.
#ifndef IREE_PJRT_COMPILE_HELPER_POOL_H_
#define IREE_PJRT_COMPILE_HELPER_POOL_H_

#include <sys/types.h>

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/log.h"
#include "compile/compile_task.h"
#include "compile/helper_process.h"
#include "program/options.h"

namespace iree_pjrt {

class HelperPool {
 public:
  // `options` must outlive it.
  explicit HelperPool(const ClientOptions& options);

  // Waits for a helper, starts one if there is none. Nothing, if none can be
  // started here. Throws what HelperProcess::Compile throws.
  std::optional<CompileResult> Compile(const CompileTask& task);

 private:
  std::unique_ptr<HelperProcess> Take();
  void GiveBack(std::unique_ptr<HelperProcess> helper);

  const ClientOptions& options_;
  const Log log_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<HelperProcess>> idle_;
  size_t busy_ = 0;
  pid_t owner_;
  bool impossible_ = false;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_HELPER_POOL_H_
