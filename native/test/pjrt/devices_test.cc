// SPDX-License-Identifier: Apache-2.0
// What a client of several CPU devices shows of them, without programs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "device_client.h"

namespace iree_pjrt_test {
namespace {

constexpr char kVariable[] = "IREE_PJRT_NUM_DEVICES";

std::vector<PJRT_Memory*> MemoriesOf(PJRT_Device* device) {
  auto args = New<PJRT_Device_AddressableMemories_Args>();
  args.device = device;
  ExpectOk(Api().PJRT_Device_AddressableMemories(&args));
  return {args.memories, args.memories + args.num_memories};
}

int MemoryId(PJRT_Memory* memory) {
  auto args = New<PJRT_Memory_Id_Args>();
  args.memory = memory;
  ExpectOk(Api().PJRT_Memory_Id(&args));
  return args.id;
}

TEST(DevicesTest, AreAsManyAsTheOptionSays) {
  unsetenv(kVariable);
  EXPECT_EQ(DeviceClient().devices().size(), 1u);
  EXPECT_EQ(DeviceClient(4).devices().size(), 4u);
  EXPECT_EQ(DeviceClient(64).devices().size(), 64u);
  setenv(kVariable, "3", 1);
  EXPECT_EQ(DeviceClient().devices().size(), 3u);
  EXPECT_EQ(DeviceClient(2).devices().size(), 2u);
  unsetenv(kVariable);
}

TEST(DevicesTest, NoOtherNumberIsTaken) {
  for (const int64_t wrong : {int64_t{-1}, int64_t{65}}) {
    Failure failure;
    DeviceClient(wrong, &failure);
    EXPECT_EQ(failure.code, PJRT_Error_Code_INVALID_ARGUMENT);
    EXPECT_EQ(failure.message, "client option 'num_devices' is '" +
                                   std::to_string(wrong) +
                                   "'; it must be a number, from 1 to 64");
  }
  setenv(kVariable, "x", 1);
  Failure failure;
  DeviceClient(0, &failure);
  unsetenv(kVariable);
  EXPECT_EQ(failure.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(failure.message,
            "IREE_PJRT_NUM_DEVICES is 'x'; it must be a number, from 1 to 64");
}

TEST(DevicesTest, EachHasItsIdAndItsMemories) {
  const DeviceClient client(3);
  std::set<int> memory_ids;
  for (int id = 0; id < 3; ++id) {
    PJRT_Device* device = client.devices().at(static_cast<size_t>(id));
    auto local = New<PJRT_Device_LocalHardwareId_Args>();
    local.device = device;
    ExpectOk(Api().PJRT_Device_LocalHardwareId(&local));
    EXPECT_EQ(local.local_hardware_id, id);
    auto find = New<PJRT_Client_LookupDevice_Args>();
    find.client = client.get();
    find.id = id;
    ExpectOk(Api().PJRT_Client_LookupDevice(&find));
    EXPECT_EQ(find.device, device);
    const auto memories = MemoriesOf(device);
    EXPECT_EQ(memories.size(), 3u);
    EXPECT_EQ(memories.at(0), DefaultMemory(device));
    for (PJRT_Memory* memory : memories) {
      memory_ids.insert(MemoryId(memory));
      auto by = New<PJRT_Memory_AddressableByDevices_Args>();
      by.memory = memory;
      ExpectOk(Api().PJRT_Memory_AddressableByDevices(&by));
      ASSERT_EQ(by.num_devices, 1u);
      EXPECT_EQ(by.devices[0], device);
    }
  }
  EXPECT_EQ(memory_ids.size(), 9u);
  auto all = New<PJRT_Client_AddressableMemories_Args>();
  all.client = client.get();
  ExpectOk(Api().PJRT_Client_AddressableMemories(&all));
  EXPECT_EQ(all.num_addressable_memories, 9u);
}

TEST(DevicesTest, AreAssignedInTheirOrder) {
  const DeviceClient client(4);
  int ids[4] = {-1, -1, -1, -1};
  auto args = New<PJRT_Client_DefaultDeviceAssignment_Args>();
  args.client = client.get();
  args.num_replicas = 2;
  args.num_partitions = 2;
  args.default_assignment = ids;
  args.default_assignment_size = 4;
  ExpectOk(Api().PJRT_Client_DefaultDeviceAssignment(&args));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ids[i], i);
  args.num_replicas = 3;
  EXPECT_EQ(ToFailure(Api().PJRT_Client_DefaultDeviceAssignment(&args)).message,
            "a computation over 6 devices; this client has 4");
}

TEST(DevicesTest, ATopologyWithoutAClientHasThemToo) {
  auto option = New<PJRT_NamedValue>();
  option.name = "num_devices";
  option.name_size = 11;
  option.type = PJRT_NamedValue_kString;  // as JAX hands over what users write
  option.string_value = "5";
  option.value_size = 1;
  auto create = New<PJRT_TopologyDescription_Create_Args>();
  create.create_options = &option;
  create.num_options = 1;
  ExpectOk(Api().PJRT_TopologyDescription_Create(&create));
  auto list = New<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
  list.topology = create.topology;
  ExpectOk(Api().PJRT_TopologyDescription_GetDeviceDescriptions(&list));
  EXPECT_EQ(list.num_descriptions, 5u);
  auto destroy = New<PJRT_TopologyDescription_Destroy_Args>();
  destroy.topology = create.topology;
  ExpectOk(Api().PJRT_TopologyDescription_Destroy(&destroy));
}

TEST(DevicesTest, CopiesBetweenThemShareTheBytes) {
  const DeviceClient client(2);
  const std::vector<float> values = {1, 2, 3};
  PJRT_Buffer* source = client.Put(values, 0);
  PJRT_Buffer* copy = CopyTo(source, client.devices()[1]);
  EXPECT_EQ(DeviceOf(source), client.devices()[0]);
  EXPECT_EQ(DeviceOf(copy), client.devices()[1]);
  EXPECT_EQ(Address(copy), Address(source));
  auto deletion = New<PJRT_Buffer_Delete_Args>();
  deletion.buffer = source;
  ExpectOk(Api().PJRT_Buffer_Delete(&deletion));
  Destroy(source);
  EXPECT_EQ(Floats(ToHost(copy)), values);
  Destroy(copy);
}

TEST(DevicesTest, CopiesWaitForWhatTheyCopy) {
  const DeviceClient client(2);
  const Promise promise = client.MakePromise(2, 0);
  PJRT_Buffer* copy = CopyTo(promise.buffer, client.devices()[1]);
  PJRT_Buffer* source = client.Put({4, 5}, 0);
  client.Fulfill(promise, source);
  EXPECT_EQ(Floats(ToHost(copy)), (std::vector<float>{4, 5}));
  PJRT_Buffer* broken = client.Broken(2, 0);
  PJRT_Buffer* copied = CopyTo(broken, client.devices()[1]);
  Failure failure;
  ToHost(copied, &failure);
  EXPECT_EQ(failure.message, "lost it");
  Destroy({{promise.buffer, copy, source, broken, copied}});
}

}  // namespace
}  // namespace iree_pjrt_test
