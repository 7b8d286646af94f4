// SPDX-License-Identifier: Apache-2.0
#include "ffi/frame.h"

#include <atomic>

#include "ffi/device_ordinal.h"

namespace iree_pjrt {
namespace {

// The FFI takes pointers to mutable data everywhere, and changes none of it.
template <typename T>
T* Mutable(const T* pointer) {
  return const_cast<T*>(pointer);
}

int64_t NextRunId() {
  static std::atomic<int64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

// The tensors of one side of a call, as the frame wants them.
class BufferList {
 public:
  BufferList(const std::vector<ForeignTensor>& tensors,
             const std::vector<void*>& data) {
    buffers_.reserve(data.size());
    for (size_t i = 0; i < data.size(); ++i) {
      const Shape& shape = tensors[i].shape;
      XLA_FFI_Buffer buffer{};
      buffer.struct_size = XLA_FFI_Buffer_STRUCT_SIZE;
      buffer.dtype = FfiTypeOf(*shape.type);
      buffer.data = data[i];
      buffer.rank = static_cast<int64_t>(shape.dims.size());
      buffer.dims = Mutable(shape.dims.data());
      buffers_.push_back(buffer);
      pointers_.push_back(&buffers_.back());
    }
    arg_types_.assign(data.size(), XLA_FFI_ArgType_BUFFER);
    ret_types_.assign(data.size(), XLA_FFI_RetType_BUFFER);
  }

  XLA_FFI_Args args() {
    return {XLA_FFI_Args_STRUCT_SIZE, nullptr,
            static_cast<int64_t>(buffers_.size()), arg_types_.data(),
            pointers_.data()};
  }
  XLA_FFI_Rets rets() {
    return {XLA_FFI_Rets_STRUCT_SIZE, nullptr,
            static_cast<int64_t>(buffers_.size()), ret_types_.data(),
            pointers_.data()};
  }

 private:
  std::vector<XLA_FFI_Buffer> buffers_;
  std::vector<void*> pointers_;
  std::vector<XLA_FFI_ArgType> arg_types_;
  std::vector<XLA_FFI_RetType> ret_types_;
};

}  // namespace

EncodedAttributes::EncodedAttributes(
    const ForeignAttribute::Dictionary& entries)
    : attrs_(EncodeAll(entries)) {}

XLA_FFI_Attrs EncodedAttributes::EncodeAll(
    const ForeignAttribute::Dictionary& entries) {
  Lists& lists = lists_.emplace_back();
  for (const auto& [name, attribute] : entries) {
    lists.types.push_back(attribute.kind);
    lists.names.push_back(
        &spans_.emplace_back(XLA_FFI_ByteSpan{name.data(), name.size()}));
    lists.values.push_back(EncodeOne(attribute));
  }
  return {XLA_FFI_Attrs_STRUCT_SIZE,
          nullptr,
          static_cast<int64_t>(entries.size()),
          lists.types.data(),
          lists.names.data(),
          lists.values.data()};
}

void* EncodedAttributes::EncodeOne(const ForeignAttribute& attribute) {
  char* bytes = Mutable(attribute.bytes.data());
  switch (attribute.kind) {
    case XLA_FFI_AttrType_SCALAR:
      return &scalars_.emplace_back(XLA_FFI_Scalar{attribute.type, bytes});
    case XLA_FFI_AttrType_ARRAY:
      return &arrays_.emplace_back(XLA_FFI_Array{
          attribute.type, static_cast<size_t>(attribute.size), bytes});
    case XLA_FFI_AttrType_STRING:
      return &spans_.emplace_back(
          XLA_FFI_ByteSpan{bytes, attribute.bytes.size()});
    case XLA_FFI_AttrType_DICTIONARY:
      return &dictionaries_.emplace_back(EncodeAll(attribute.entries));
  }
  ThrowInvalidArgument("a foreign call with an attribute of unknown kind");
}

BoundCall::BoundCall(const ForeignCall& call)
    : call_(call),
      handler_(HandlerRegistry::Get().Require(call.target)),
      attributes_(call.attributes) {
  XLA_FFI_ExecutionContext ctx;
  ctx.states[XLA_FFI_ExecutionStage_INSTANTIATE] = &instance_;
  RunStage(handler_.stages.instantiate, XLA_FFI_ExecutionStage_INSTANTIATE, ctx,
           {}, {});
}

void BoundCall::RunStage(XLA_FFI_Handler* handler, XLA_FFI_ExecutionStage stage,
                         XLA_FFI_ExecutionContext& ctx,
                         const std::vector<void*>& operands,
                         const std::vector<void*>& results) const {
  if (!handler) return;
  ctx.minor = handler_.minor;
  ctx.device_ordinal = DeviceOrdinalScope::Current();
  BufferList args(call_.operands, operands);
  BufferList rets(call_.results, results);
  XLA_FFI_CallFrame frame{};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = &GetFfiApi()->base;
  frame.ctx = &ctx;
  frame.stage = stage;
  frame.args = args.args();
  frame.rets = rets.rets();
  frame.attrs = attributes_.get();
  const std::string what = "the custom call '" + call_.target + "'";
  ThrowIfFailed(handler(&frame), what);
  AwaitFuture(frame.future, what);
}

void BoundCall::Run(const std::vector<void*>& operands,
                    const std::vector<void*>& results) const {
  HandlerState prepared;
  HandlerState initialized;
  XLA_FFI_ExecutionContext ctx;
  ctx.run_id = NextRunId();
  ctx.states[XLA_FFI_ExecutionStage_INSTANTIATE] = &instance_;
  ctx.states[XLA_FFI_ExecutionStage_PREPARE] = &prepared;
  ctx.states[XLA_FFI_ExecutionStage_INITIALIZE] = &initialized;
  RunStage(handler_.stages.prepare, XLA_FFI_ExecutionStage_PREPARE, ctx,
           operands, results);
  RunStage(handler_.stages.initialize, XLA_FFI_ExecutionStage_INITIALIZE, ctx,
           operands, results);
  RunStage(handler_.stages.execute, XLA_FFI_ExecutionStage_EXECUTE, ctx,
           operands, results);
}

}  // namespace iree_pjrt
