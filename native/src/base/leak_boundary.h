// SPDX-License-Identifier: Apache-2.0
// Where a framework, or the compiler, calls into the plugin. In a build with
// AddressSanitizer the stacks that LeakSanitizer records end here. A rule that
// hides a library's leaks hides each leak whose stack has a frame of that
// library, and the stacks of our leaks would begin in the framework.
#ifndef IREE_PJRT_BASE_LEAK_BOUNDARY_H_
#define IREE_PJRT_BASE_LEAK_BOUNDARY_H_

#if defined(__SANITIZE_ADDRESS__)
#define IREE_PJRT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IREE_PJRT_ASAN 1
#endif
#endif

#if defined(IREE_PJRT_ASAN) && defined(__x86_64__)

#include <memory>
#include <type_traits>

// Calls function(context) with a frame pointer that leads nowhere. Debuggers,
// exceptions and reports of errors, which read unwind tables, see through it.
extern "C" void iree_pjrt_call_without_frame(void (*function)(void*),
                                             void* context);

namespace iree_pjrt {

template <typename Function>
void CallAtLeakBoundary(Function&& function) {
  iree_pjrt_call_without_frame(
      [](void* context) {
        (*static_cast<std::remove_reference_t<Function>*>(context))();
      },
      static_cast<void*>(std::addressof(function)));
}

}  // namespace iree_pjrt

#else

namespace iree_pjrt {

template <typename Function>
void CallAtLeakBoundary(Function&& function) {
  function();
}

}  // namespace iree_pjrt

#endif

#endif  // IREE_PJRT_BASE_LEAK_BOUNDARY_H_
