// SPDX-License-Identifier: Apache-2.0
#include "transfer/promised_buffer.h"

#include "base/error.h"
#include "pjrt/client.h"
#include "transfer/transfer.h"

struct PJRT_FulfillAliasBufferCallback {
  iree_pjrt::Shape shape;
  std::shared_ptr<iree_pjrt::BufferData> data;
};

namespace iree_pjrt {
namespace {

std::shared_ptr<BufferData> Promise() {
  return std::make_shared<BufferData>(HalBuffer(),
                                      std::make_shared<Completion>());
}

// Makes `promised` what `source` will be, error or data, once that is there.
void Follow(const std::shared_ptr<BufferData>& promised,
            std::shared_ptr<const BufferData> source) {
  Completion& ready = *source->ready;
  ready.OnDone([promised, source = std::move(source)](
                   const Completion::Outcome& outcome) mutable {
    if (!outcome) {
      promised->hal = source->hal;
      promised->writable = source->writable;
    }
    source.reset();
    promised->ready->Complete(outcome);
  });
}

// A donation that waits for its dependency.
struct Pending {
  std::shared_ptr<BufferData> promised;
  std::shared_ptr<const BufferData> source;
};

void DependencyReady(
    PJRT_Buffer_DonateWithControlDependency_Callback_Args* args) noexcept {
  const std::unique_ptr<Pending> pending(
      static_cast<Pending*>(args->callback_data));
  if (args->error_code == PJRT_Error_Code_OK) {
    Follow(pending->promised, std::move(pending->source));
  } else {
    pending->promised->ready->Complete(std::make_shared<const Error>(ErrorFromC(
        args->error_code, args->error_message, args->error_message_size)));
  }
}

}  // namespace

void ClientCreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args& args) {
  const auto client = FromC(args.client, "client").client;
  Memory& memory = FromC(args.memory, "memory");
  Shape shape =
      MakeShape(args.shape_element_type, args.shape_dims, args.shape_num_dims);
  RequireRowMajor(shape, args.shape_layout);
  const auto promised = Promise();
  auto token = std::make_unique<PJRT_FulfillAliasBufferCallback>(
      PJRT_FulfillAliasBufferCallback{shape, promised});
  args.alias_buffer =
      ToC(new Buffer(client, &memory, std::move(shape), promised));
  args.fulfill_alias_buffer_cb = token.release();
}

void ClientFulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args& args) {
  FromC(args.client, "client");
  if (!args.fulfill_alias_buffer_cb) {
    ThrowInvalidArgument("fulfill_alias_buffer_cb is null");
  }
  const std::unique_ptr<PJRT_FulfillAliasBufferCallback> token(
      args.fulfill_alias_buffer_cb);
  try {
    if (args.status_code != PJRT_Error_Code_OK) {
      throw ErrorFromC(args.status_code, args.error_message,
                       args.error_message_size);
    }
    const Buffer& buffer = FromC(args.buffer, "buffer");
    if (buffer.shape().dims != token->shape.dims ||
        buffer.shape().type != token->shape.type) {
      ThrowInvalidArgument(
          "the alias was promised with another shape or element type");
    }
    Follow(token->data, buffer.data());
  } catch (const Error& error) {
    token->data->ready->Complete(std::make_shared<const Error>(error));
    if (args.status_code == PJRT_Error_Code_OK) throw;
  }
}

void BufferDonateWithControlDependency(
    PJRT_Buffer_DonateWithControlDependency_Args& args) {
  Buffer& buffer = FromC(args.buffer, "buffer");
  auto pending = std::make_unique<Pending>(Pending{Promise(), buffer.data()});
  args.out_buffer = ToC(buffer.WithData(pending->promised));
  buffer.Delete();
  args.callback_data = pending.release();
  args.dependency_ready_callback = &DependencyReady;
}

}  // namespace iree_pjrt
