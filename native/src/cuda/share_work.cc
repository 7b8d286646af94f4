// SPDX-License-Identifier: Apache-2.0
#include "runtime/share_work.h"

namespace iree_pjrt {

size_t WorkThreads() { return 1; }

void ShareWork(uint64_t, uint64_t count, WorkParts work, void* context) {
  work(context, 0, count);
}

}  // namespace iree_pjrt
