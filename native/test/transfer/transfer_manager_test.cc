// SPDX-License-Identifier: Apache-2.0
// Buffers that exist before their data: transfer managers, aliases, donations
// that wait, and raw copies to an address that comes later.
#include <gtest/gtest.h>

#include <cstring>

#include "plugin_library.h"

namespace iree_pjrt_test {
namespace {

const std::vector<float> kValues = {1, 2, 3, 4};

PJRT_Memory* DefaultMemory() {
  auto args = New<PJRT_Device_DefaultMemory_Args>();
  args.device = FirstDevice();
  ExpectOk(Api().PJRT_Device_DefaultMemory(&args));
  return args.memory;
}

PJRT_Buffer* FourFloats() {
  return ToDevice(kValues.data(), {PJRT_Buffer_Type_F32, {4}, {}});
}

bool IsReady(PJRT_Buffer* buffer) {
  auto ready = New<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = buffer;
  ExpectOk(Api().PJRT_Buffer_ReadyEvent(&ready));
  auto is_ready = New<PJRT_Event_IsReady_Args>();
  is_ready.event = ready.event;
  ExpectOk(Api().PJRT_Event_IsReady(&is_ready));
  Destroy(ready.event);
  return is_ready.is_ready;
}

class TransferManagerTest : public testing::Test {
 protected:
  void SetUp() override {
    const int64_t dims[] = {4};
    auto spec = New<PJRT_ShapeSpec>();
    spec.dims = dims;
    spec.num_dims = 1;
    spec.element_type = PJRT_Buffer_Type_F32;
    PJRT_ShapeSpec specs[] = {spec, spec};
    auto args = New<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
    args.client = SharedClient();
    args.shape_specs = specs;
    args.num_shape_specs = 2;
    args.memory = DefaultMemory();
    ExpectOk(Api().PJRT_Client_CreateBuffersForAsyncHostToDevice(&args));
    manager_ = args.transfer_manager;
  }
  void TearDown() override { DestroyManager(); }

  void DestroyManager() {
    auto args = New<PJRT_AsyncHostToDeviceTransferManager_Destroy_Args>();
    args.transfer_manager = std::exchange(manager_, nullptr);
    ExpectOk(Api().PJRT_AsyncHostToDeviceTransferManager_Destroy(&args));
  }

  Failure Send(int index, size_t offset, size_t size, bool last) {
    auto args = New<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
    args.transfer_manager = manager_;
    args.buffer_index = index;
    args.data = reinterpret_cast<const char*>(kValues.data()) + offset;
    args.offset = static_cast<int64_t>(offset);
    args.transfer_size = static_cast<int64_t>(size);
    args.is_last_transfer = last;
    const Failure failure = ToFailure(
        Api().PJRT_AsyncHostToDeviceTransferManager_TransferData(&args));
    if (!failure) Destroy(args.done_with_h2d_transfer);
    return failure;
  }

  PJRT_Buffer* Retrieve(int index) {
    auto args =
        New<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
    args.transfer_manager = manager_;
    args.buffer_index = index;
    ExpectOk(Api().PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(&args));
    return args.buffer_out;
  }

  PJRT_AsyncHostToDeviceTransferManager* manager_ = nullptr;
};

TEST_F(TransferManagerTest, DataComesInPieces) {
  PJRT_Buffer* buffer = Retrieve(1);
  EXPECT_FALSE(Send(1, 8, 8, false));
  EXPECT_FALSE(IsReady(buffer));
  EXPECT_FALSE(Send(1, 0, 8, true));
  EXPECT_TRUE(IsReady(buffer));
  EXPECT_EQ(Floats(ToHost(buffer)), kValues);
  EXPECT_EQ(Send(1, 0, 4, false).code, PJRT_Error_Code_FAILED_PRECONDITION);
  Destroy(buffer);
}

TEST_F(TransferManagerTest, WrongPiecesAreRefused) {
  EXPECT_EQ(Send(2, 0, 4, false).code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(Send(-1, 0, 4, false).code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(Send(0, 12, 8, false).code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST_F(TransferManagerTest, CountAndSizes) {
  auto count = New<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>();
  count.transfer_manager = manager_;
  ExpectOk(Api().PJRT_AsyncHostToDeviceTransferManager_BufferCount(&count));
  EXPECT_EQ(count.buffer_count, 2u);
  auto size = New<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
  size.transfer_manager = manager_;
  size.buffer_index = 1;
  ExpectOk(Api().PJRT_AsyncHostToDeviceTransferManager_BufferSize(&size));
  EXPECT_EQ(size.buffer_size, 16u);
  auto device = New<PJRT_AsyncHostToDeviceTransferManager_Device_Args>();
  device.transfer_manager = manager_;
  ExpectOk(Api().PJRT_AsyncHostToDeviceTransferManager_Device(&device));
  EXPECT_EQ(device.device_out, FirstDevice());
}

TEST_F(TransferManagerTest, ErrorsReachTheBuffer) {
  PJRT_Buffer* failed = Retrieve(0);
  PJRT_Buffer* dropped = Retrieve(1);
  auto args = New<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
  args.transfer_manager = manager_;
  args.error_code = PJRT_Error_Code_DATA_LOSS;
  args.error_message = "gone";
  args.error_message_size = 4;
  ExpectOk(Api().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(&args));
  DestroyManager();
  Failure failure;
  ToHost(failed, &failure);
  EXPECT_EQ(failure.code, PJRT_Error_Code_DATA_LOSS);
  EXPECT_EQ(failure.message, "gone");
  ToHost(dropped, &failure);
  EXPECT_EQ(failure.code, PJRT_Error_Code_CANCELLED);
  Destroy(failed);
  Destroy(dropped);
}

class AliasTest : public testing::Test {
 protected:
  void SetUp() override {
    const int64_t dims[] = {4};
    auto args = New<PJRT_Client_CreateAliasBuffer_Args>();
    args.client = SharedClient();
    args.memory = DefaultMemory();
    args.shape_dims = dims;
    args.shape_num_dims = 1;
    args.shape_element_type = PJRT_Buffer_Type_F32;
    ExpectOk(Api().PJRT_Client_CreateAliasBuffer(&args));
    alias_ = args.alias_buffer;
    token_ = args.fulfill_alias_buffer_cb;
  }
  void TearDown() override { Destroy(alias_); }

  Failure Fulfill(PJRT_Buffer* buffer, PJRT_Error_Code code) {
    auto args = New<PJRT_Client_FulfillAliasBuffer_Args>();
    args.client = SharedClient();
    args.buffer = buffer;
    args.status_code = code;
    args.error_message = "why";
    args.error_message_size = 3;
    args.fulfill_alias_buffer_cb = token_;
    return ToFailure(Api().PJRT_Client_FulfillAliasBuffer(&args));
  }

  PJRT_Buffer* alias_ = nullptr;
  PJRT_FulfillAliasBufferCallback* token_ = nullptr;
};

TEST_F(AliasTest, BecomesTheOtherBuffer) {
  EXPECT_FALSE(IsReady(alias_));
  PJRT_Buffer* buffer = FourFloats();
  EXPECT_FALSE(Fulfill(buffer, PJRT_Error_Code_OK));
  Destroy(buffer);
  EXPECT_EQ(Floats(ToHost(alias_)), kValues);
}

TEST_F(AliasTest, BecomesAnError) {
  EXPECT_FALSE(Fulfill(nullptr, PJRT_Error_Code_ABORTED));
  Failure failure;
  ToHost(alias_, &failure);
  EXPECT_EQ(failure.code, PJRT_Error_Code_ABORTED);
  EXPECT_EQ(failure.message, "why");
}

TEST_F(AliasTest, OtherShapesAreRefusedAndFailIt) {
  const float one = 1;
  PJRT_Buffer* scalar = ToDevice(&one, {PJRT_Buffer_Type_F32, {}, {}});
  EXPECT_EQ(Fulfill(scalar, PJRT_Error_Code_OK).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  Destroy(scalar);
  Failure failure;
  ToHost(alias_, &failure);
  EXPECT_EQ(failure.code, PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST(DonateWithControlDependencyTest, WaitsForTheDependency) {
  for (const auto code : {PJRT_Error_Code_OK, PJRT_Error_Code_ABORTED}) {
    PJRT_Buffer* buffer = FourFloats();
    auto args = New<PJRT_Buffer_DonateWithControlDependency_Args>();
    args.buffer = buffer;
    ExpectOk(Api().PJRT_Buffer_DonateWithControlDependency(&args));
    auto deleted = New<PJRT_Buffer_IsDeleted_Args>();
    deleted.buffer = buffer;
    ExpectOk(Api().PJRT_Buffer_IsDeleted(&deleted));
    EXPECT_TRUE(deleted.is_deleted);
    Destroy(buffer);
    EXPECT_FALSE(IsReady(args.out_buffer));
    auto ready = New<PJRT_Buffer_DonateWithControlDependency_Callback_Args>();
    ready.callback_data = args.callback_data;
    ready.error_code = code;
    args.dependency_ready_callback(&ready);
    Failure failure;
    const std::string bytes = ToHost(args.out_buffer, &failure);
    EXPECT_EQ(failure.code, code);
    if (code == PJRT_Error_Code_OK) EXPECT_EQ(Floats(bytes), kValues);
    Destroy(args.out_buffer);
  }
}

TEST(CopyRawToHostFutureTest, CopiesWhenTheAddressIsThere) {
  PJRT_Buffer* buffer = FourFloats();
  auto args = New<PJRT_Buffer_CopyRawToHostFuture_Args>();
  args.buffer = buffer;
  args.offset = 4;
  args.transfer_size = 8;
  ExpectOk(Api().PJRT_Buffer_CopyRawToHostFuture(&args));
  float two[2] = {};
  auto ready = New<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>();
  ready.callback_data = args.callback_data;
  ready.dst = two;
  args.future_ready_callback(&ready);
  auto await = New<PJRT_Event_Await_Args>();
  await.event = args.event;
  ExpectOk(Api().PJRT_Event_Await(&await));
  EXPECT_EQ(std::vector<float>(two, two + 2), (std::vector<float>{2, 3}));
  Destroy(args.event);
  args.offset = 12;
  EXPECT_EQ(ToFailure(Api().PJRT_Buffer_CopyRawToHostFuture(&args)).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  Destroy(buffer);
}

TEST(MemoryStatsTest, FollowsBuffers) {
  const auto stats = [] {
    auto args = New<PJRT_Device_MemoryStats_Args>();
    args.device = FirstDevice();
    ExpectOk(Api().PJRT_Device_MemoryStats(&args));
    return args;
  };
  constexpr int64_t kSize = 1 << 20;
  const auto before = stats();
  const std::string zeros(kSize, '\0');
  PJRT_Buffer* buffer =
      ToDevice(zeros.data(), {PJRT_Buffer_Type_U8, {kSize}, {}});
  const auto during = stats();
  Destroy(buffer);
  const auto after = stats();
  EXPECT_GE(during.bytes_in_use - before.bytes_in_use, kSize);
  EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
  EXPECT_GE(after.peak_bytes_in_use, during.bytes_in_use);
  EXPECT_TRUE(after.peak_bytes_in_use_is_set);
  EXPECT_GE(after.largest_alloc_size, kSize);
  EXPECT_GT(during.num_allocs, before.num_allocs);
}

}  // namespace
}  // namespace iree_pjrt_test
