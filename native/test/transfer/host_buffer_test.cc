// SPDX-License-Identifier: Apache-2.0
// Semantics of BufferFromHostBuffer: who may touch the caller's memory, until
// when, and whether it is used as it lies.
#include <gtest/gtest.h>

#include <numeric>

#include "plugin_library.h"

namespace iree_pjrt_test {
namespace {

constexpr int64_t kCount = 64;

struct Sent {
  PJRT_Buffer* buffer;
  PJRT_Event* done;
};

class HostBufferTest : public testing::Test {
 protected:
  void SetUp() override { std::iota(values_, values_ + kCount + 1, 0.0f); }

  static Sent Send(const float* data, PJRT_HostBufferSemantics semantics,
                   const std::vector<int64_t>& dims,
                   const std::vector<int64_t>& strides = {}) {
    auto args = New<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = SharedClient();
    args.data = data;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims.data();
    args.num_dims = dims.size();
    args.byte_strides = strides.data();
    args.num_byte_strides = strides.size();
    args.host_buffer_semantics = semantics;
    args.device = FirstDevice();
    ExpectOk(Api().PJRT_Client_BufferFromHostBuffer(&args));
    return {args.buffer, args.done_with_host_buffer};
  }

  static bool IsReady(PJRT_Event* event) {
    auto args = New<PJRT_Event_IsReady_Args>();
    args.event = event;
    ExpectOk(Api().PJRT_Event_IsReady(&args));
    return args.is_ready;
  }

  static const float* Address(PJRT_Buffer* buffer) {
    auto args = New<PJRT_Buffer_UnsafePointer_Args>();
    args.buffer = buffer;
    ExpectOk(Api().PJRT_Buffer_UnsafePointer(&args));
    return reinterpret_cast<const float*>(args.buffer_pointer);
  }

  alignas(64) float values_[kCount + 1];
};

TEST_F(HostBufferTest, ZeroCopyUsesAlignedMemoryAsItLies) {
  for (auto semantics : {PJRT_HostBufferSemantics_kImmutableZeroCopy,
                         PJRT_HostBufferSemantics_kMutableZeroCopy}) {
    const Sent sent = Send(values_, semantics, {kCount});
    EXPECT_EQ(Address(sent.buffer), values_);
    EXPECT_FALSE(IsReady(sent.done));
    EXPECT_EQ(Floats(ToHost(sent.buffer)),
              std::vector<float>(values_, values_ + kCount));
    Destroy(sent.buffer);
    EXPECT_TRUE(IsReady(sent.done));
    Destroy(sent.done);
  }
}

TEST_F(HostBufferTest, ZeroCopyCopiesWhatIsNotAligned) {
  const Sent sent =
      Send(values_ + 1, PJRT_HostBufferSemantics_kImmutableZeroCopy, {kCount});
  EXPECT_NE(Address(sent.buffer), values_ + 1);
  EXPECT_TRUE(IsReady(sent.done));
  values_[1] = -1;
  EXPECT_EQ(Floats(ToHost(sent.buffer))[0], 1);
  Destroy(sent.buffer);
  Destroy(sent.done);
}

TEST_F(HostBufferTest, ZeroCopyCopiesWhatIsNotDense) {
  const Sent sent = Send(values_, PJRT_HostBufferSemantics_kImmutableZeroCopy,
                         {4, 2}, {4, 16});
  EXPECT_NE(Address(sent.buffer), values_);
  EXPECT_TRUE(IsReady(sent.done));
  EXPECT_EQ(Floats(ToHost(sent.buffer)),
            (std::vector<float>{0, 4, 1, 5, 2, 6, 3, 7}));
  Destroy(sent.buffer);
  Destroy(sent.done);
}

TEST_F(HostBufferTest, OtherSemanticsCopy) {
  for (auto semantics :
       {PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
        PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes}) {
    values_[0] = 5;
    const Sent sent = Send(values_, semantics, {kCount});
    EXPECT_TRUE(IsReady(sent.done));
    values_[0] = -5;
    EXPECT_EQ(Floats(ToHost(sent.buffer))[0], 5);
    Destroy(sent.buffer);
    Destroy(sent.done);
  }
}

TEST_F(HostBufferTest, NegativeAndZeroStrides) {
  const auto semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  const Sent reversed = Send(values_ + 3, semantics, {4}, {-4});
  EXPECT_EQ(Floats(ToHost(reversed.buffer)), (std::vector<float>{3, 2, 1, 0}));
  const Sent repeated = Send(values_ + 7, semantics, {2, 3}, {0, 0});
  EXPECT_EQ(Floats(ToHost(repeated.buffer)), std::vector<float>(6, 7.0f));
  for (const Sent& sent : {reversed, repeated}) {
    Destroy(sent.buffer);
    Destroy(sent.done);
  }
}

TEST_F(HostBufferTest, ReadsInOtherLayouts) {
  const Sent sent =
      Send(values_, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, {2, 3});
  const int64_t column_major[] = {0, 1};
  auto layout = New<PJRT_Buffer_MemoryLayout>();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = column_major;
  layout.tiled.minor_to_major_size = 2;
  std::vector<float> columns(6);
  auto args = New<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = sent.buffer;
  args.host_layout = &layout;
  args.dst = columns.data();
  args.dst_size = 24;
  ExpectOk(Api().PJRT_Buffer_ToHostBuffer(&args));
  auto await = New<PJRT_Event_Await_Args>();
  await.event = args.event;
  ExpectOk(Api().PJRT_Event_Await(&await));
  EXPECT_EQ(columns, (std::vector<float>{0, 3, 1, 4, 2, 5}));
  Destroy(args.event);
  Destroy(sent.buffer);
  Destroy(sent.done);
}

}  // namespace
}  // namespace iree_pjrt_test
