// SPDX-License-Identifier: Apache-2.0
// DUCC includes this in the place of its own threads (its infra/threading.h);
// transform.cc has the functions that go with it.
#ifndef IREE_PJRT_FFI_DUCC_DUCC0_CUSTOM_LOWLEVEL_THREADING_H_
#define IREE_PJRT_FFI_DUCC_DUCC0_CUSTOM_LOWLEVEL_THREADING_H_

#include <condition_variable>
#include <mutex>

namespace DUCC0_NAMESPACE::detail_threading {

using Mutex = std::mutex;
using UniqueLock = std::unique_lock<std::mutex>;
using LockGuard = std::lock_guard<std::mutex>;
using CondVar = std::condition_variable;

}  // namespace DUCC0_NAMESPACE::detail_threading

#endif  // IREE_PJRT_FFI_DUCC_DUCC0_CUSTOM_LOWLEVEL_THREADING_H_
