// SPDX-License-Identifier: Apache-2.0
// Owning pointers to IREE's reference-counted objects.
#ifndef IREE_PJRT_RUNTIME_IREE_REF_H_
#define IREE_PJRT_RUNTIME_IREE_REF_H_

#include <utility>

#include "iree/hal/api.h"
#include "iree/hal/device_group.h"
#include "iree/vm/api.h"
#include "runtime/device_scope.h"

namespace iree_pjrt {

template <typename T, void (*kRetain)(T*), void (*kRelease)(T*)>
class Ref {
 public:
  Ref() = default;
  Ref(const Ref& other) : ptr_(other.ptr_) {
    if (ptr_) kRetain(ptr_);
  }
  Ref(Ref&& other) noexcept : ptr_(std::exchange(other.ptr_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(ptr_, other.ptr_);
    return *this;
  }
  ~Ref() {
    if (ptr_) kRelease(ptr_);
  }

  // Shares an object that someone else owns too.
  static Ref Retain(T* ptr) {
    if (ptr) kRetain(ptr);
    return Adopt(ptr);
  }
  // Takes over the caller's reference.
  static Ref Adopt(T* ptr) {
    Ref ref;
    ref.ptr_ = ptr;
    return ref;
  }

  // For out parameters of functions that return a new reference.
  T** out() {
    *this = Ref();
    return &ptr_;
  }
  // Gives the reference to the caller.
  T* release() { return std::exchange(ptr_, nullptr); }
  T* get() const { return ptr_; }
  explicit operator bool() const { return ptr_ != nullptr; }

 private:
  T* ptr_ = nullptr;
};

#define IREE_PJRT_REF(name, c_name) \
  using name = Ref<c_name##_t, c_name##_retain, c_name##_release>

using HalBuffer = Ref<iree_hal_buffer_t, iree_hal_buffer_retain, ReleaseBuffer>;
IREE_PJRT_REF(HalBufferView, iree_hal_buffer_view);
IREE_PJRT_REF(HalAllocator, iree_hal_allocator);
IREE_PJRT_REF(HalDevice, iree_hal_device);
IREE_PJRT_REF(HalDriver, iree_hal_driver);
IREE_PJRT_REF(HalDeviceGroup, iree_hal_device_group);
IREE_PJRT_REF(VmContext, iree_vm_context);
IREE_PJRT_REF(VmInstance, iree_vm_instance);
IREE_PJRT_REF(VmModule, iree_vm_module);

#undef IREE_PJRT_REF

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RUNTIME_IREE_REF_H_
