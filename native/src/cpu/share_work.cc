// SPDX-License-Identifier: Apache-2.0
#include "runtime/share_work.h"

#include "cpu/crew.h"

namespace iree_pjrt {

size_t WorkThreads() { return Crew::Get().threads(); }

void ShareWork(uint64_t kind, uint64_t count, WorkParts work, void* context) {
  Crew::Get().Run(kind, count, work, context);
}

}  // namespace iree_pjrt
