// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "plugin_library.h"

namespace iree_pjrt_test {
namespace {

class RoundTripTest : public testing::TestWithParam<PJRT_Buffer_Type> {};

TEST_P(RoundTripTest, KeepsEveryByte) {
  std::string bytes(6 * 16, '\0');
  std::iota(bytes.begin(), bytes.end(), 0);
  PJRT_Buffer* buffer = ToDevice(bytes.data(), {GetParam(), {2, 3}, {}});
  const std::string back = ToHost(buffer);
  EXPECT_GT(back.size(), 0u);
  EXPECT_EQ(back, bytes.substr(0, back.size()));
  Destroy(buffer);
}

INSTANTIATE_TEST_SUITE_P(
    Types, RoundTripTest,
    testing::Values(
        PJRT_Buffer_Type_PRED, PJRT_Buffer_Type_S8, PJRT_Buffer_Type_S16,
        PJRT_Buffer_Type_S32, PJRT_Buffer_Type_S64, PJRT_Buffer_Type_U8,
        PJRT_Buffer_Type_U16, PJRT_Buffer_Type_U32, PJRT_Buffer_Type_U64,
        PJRT_Buffer_Type_F16, PJRT_Buffer_Type_F32, PJRT_Buffer_Type_F64,
        PJRT_Buffer_Type_BF16, PJRT_Buffer_Type_C64, PJRT_Buffer_Type_C128,
        PJRT_Buffer_Type_F8E5M2, PJRT_Buffer_Type_F8E4M3FN, PJRT_Buffer_Type_S4,
        PJRT_Buffer_Type_U4, PJRT_Buffer_Type_S2, PJRT_Buffer_Type_U2,
        PJRT_Buffer_Type_F4E2M1FN, PJRT_Buffer_Type_F8E8M0FNU,
        PJRT_Buffer_Type_F8E3M4, PJRT_Buffer_Type_F8E4M3,
        PJRT_Buffer_Type_F8E4M3B11FNUZ, PJRT_Buffer_Type_F8E4M3FNUZ,
        PJRT_Buffer_Type_F8E5M2FNUZ));

TEST(BufferTest, StridedHostArray) {
  const float columns[] = {1, 2, 3, 4, 5, 6};
  PJRT_Buffer* buffer =
      ToDevice(columns, {PJRT_Buffer_Type_F32, {3, 2}, {4, 12}});
  EXPECT_EQ(Floats(ToHost(buffer)), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  Destroy(buffer);
}

TEST(BufferTest, ScalarAndEmpty) {
  const float value = 3.5f;
  PJRT_Buffer* scalar = ToDevice(&value, {PJRT_Buffer_Type_F32, {}, {}});
  EXPECT_EQ(Floats(ToHost(scalar)), (std::vector<float>{3.5f}));
  Destroy(scalar);
  PJRT_Buffer* empty = ToDevice(nullptr, {PJRT_Buffer_Type_F32, {4, 0}, {}});
  ASSERT_NE(empty, nullptr);
  auto size = New<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
  size.buffer = empty;
  ExpectOk(Api().PJRT_Buffer_OnDeviceSizeInBytes(&size));
  EXPECT_EQ(size.on_device_size_in_bytes, 0u);
  Destroy(empty);
}

TEST(BufferTest, DeletedIsAnErrorOnce) {
  const float value = 1;
  PJRT_Buffer* buffer = ToDevice(&value, {PJRT_Buffer_Type_F32, {}, {}});
  auto remove = New<PJRT_Buffer_Delete_Args>();
  remove.buffer = buffer;
  ExpectOk(Api().PJRT_Buffer_Delete(&remove));
  auto deleted = New<PJRT_Buffer_IsDeleted_Args>();
  deleted.buffer = buffer;
  ExpectOk(Api().PJRT_Buffer_IsDeleted(&deleted));
  EXPECT_TRUE(deleted.is_deleted);
  auto ready = New<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = buffer;
  EXPECT_EQ(ToFailure(Api().PJRT_Buffer_ReadyEvent(&ready)).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  Destroy(buffer);
}

}  // namespace
}  // namespace iree_pjrt_test
