// SPDX-License-Identifier: Apache-2.0
// Calls of handlers: the attributes of a call site in the FFI's form, made once
// per executable, and the frame of one call.
#ifndef IREE_PJRT_FFI_FRAME_H_
#define IREE_PJRT_FFI_FRAME_H_

#include <deque>
#include <vector>

#include "ffi/api.h"
#include "ffi/foreign_call.h"
#include "ffi/registry.h"

namespace iree_pjrt {

// Immutable; points into the dictionary that it was made from, which must
// outlive it.
class EncodedAttributes {
 public:
  explicit EncodedAttributes(const ForeignAttribute::Dictionary& entries);
  EncodedAttributes(const EncodedAttributes&) = delete;
  EncodedAttributes& operator=(const EncodedAttributes&) = delete;

  const XLA_FFI_Attrs& get() const { return attrs_; }

 private:
  struct Lists {
    std::vector<XLA_FFI_AttrType> types;
    std::vector<XLA_FFI_ByteSpan*> names;
    std::vector<void*> values;
  };

  XLA_FFI_Attrs EncodeAll(const ForeignAttribute::Dictionary& entries);
  void* EncodeOne(const ForeignAttribute& attribute);

  // Deques: what is in them does not move.
  std::deque<Lists> lists_;
  std::deque<XLA_FFI_ByteSpan> spans_;
  std::deque<XLA_FFI_Scalar> scalars_;
  std::deque<XLA_FFI_Array> arrays_;
  std::deque<XLA_FFI_Attrs> dictionaries_;
  XLA_FFI_Attrs attrs_;
};

// A call site of a loaded executable with the handler that answers it. Runs the
// stage `instantiate` when it is made. Several threads may call at once.
class BoundCall {
 public:
  // `call` must outlive this. Throws what the handler complains about,
  // NOT_FOUND without a handler.
  explicit BoundCall(const ForeignCall& call);

  const ForeignCall& call() const { return call_; }

  // The stages from `prepare` to `execute`; the pointers are the tensors' first
  // elements. Returns when the handler is done, or throws its error.
  void Run(const std::vector<void*>& operands,
           const std::vector<void*>& results) const;

 private:
  void RunStage(XLA_FFI_Handler* handler, XLA_FFI_ExecutionStage stage,
                XLA_FFI_ExecutionContext& ctx,
                const std::vector<void*>& operands,
                const std::vector<void*>& results) const;

  const ForeignCall& call_;
  const Handler handler_;
  const EncodedAttributes attributes_;
  // Outlives every call, and is the handler's to change.
  mutable HandlerState instance_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_FRAME_H_
