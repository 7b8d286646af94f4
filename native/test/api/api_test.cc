// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "api/api_list.h"
#include "plugin_library.h"

namespace iree_pjrt_test {
namespace {

constexpr size_t kHead = offsetof(PJRT_Api, PJRT_Error_Destroy);
constexpr size_t kCount = (sizeof(PJRT_Api) - kHead) / sizeof(void*);

TEST(ApiTest, EveryEntryIsSetAndListed) {
  const auto* entries = reinterpret_cast<void* const*>(
      reinterpret_cast<const char*>(&Api()) + kHead);
  for (size_t i = 0; i < kCount; ++i) EXPECT_NE(entries[i], nullptr) << i;
#define IREE_PJRT_ONE(...) +1
  EXPECT_EQ(kCount, size_t{0} IREE_PJRT_API_LIST(IREE_PJRT_ONE, IREE_PJRT_ONE));
#undef IREE_PJRT_ONE
}

TEST(ApiTest, VersionIsTheHeaders) {
  EXPECT_EQ(Api().struct_size, size_t{PJRT_Api_STRUCT_SIZE});
  EXPECT_EQ(Api().pjrt_api_version.major_version, PJRT_API_MAJOR);
  EXPECT_EQ(Api().pjrt_api_version.minor_version, PJRT_API_MINOR);
}

TEST(ApiTest, NotImplementedSaysItsName){
#define IREE_PJRT_SKIP(...)
#define IREE_PJRT_CALL(name, reason)                                   \
  {                                                                    \
    auto args = New<PJRT_##name##_Args>();                             \
    const Failure failure = ToFailure(Api().PJRT_##name(&args));       \
    EXPECT_EQ(failure.code, PJRT_Error_Code_UNIMPLEMENTED) << #name;   \
    EXPECT_NE(failure.message.find("PJRT_" #name), std::string::npos); \
  }
    IREE_PJRT_API_LIST(IREE_PJRT_SKIP, IREE_PJRT_CALL)
#undef IREE_PJRT_SKIP
#undef IREE_PJRT_CALL
}

// What `npx pipeline plugin-info` prints is what the calls above answer.
TEST(ApiTest, TheListOfWhatIsNotImplementedCanBeRead) {
  auto args = New<PJRT_Plugin_Attributes_Args>();
  ExpectOk(Api().PJRT_Plugin_Attributes(&args));
  std::string listed;
  for (size_t i = 0; i < args.num_attributes; ++i) {
    const PJRT_NamedValue& value = args.attributes[i];
    if (std::string(value.name, value.name_size) == "unimplemented") {
      listed.assign(value.string_value, value.value_size);
    }
  }
  std::string expected;
#define IREE_PJRT_SKIP(...)
#define IREE_PJRT_LINE(name, reason) expected += #name ": " reason "\n";
  IREE_PJRT_API_LIST(IREE_PJRT_SKIP, IREE_PJRT_LINE)
#undef IREE_PJRT_SKIP
#undef IREE_PJRT_LINE
  EXPECT_EQ(listed, expected);
}

TEST(ApiTest, ExtensionsAreChained) {
  std::vector<PJRT_Extension_Type> found;
  for (const PJRT_Extension_Base* extension = Api().extension_start; extension;
       extension = extension->next) {
    found.push_back(extension->type);
  }
  EXPECT_EQ(found,
            (std::vector<PJRT_Extension_Type>{
                PJRT_Extension_Type_Profiler, PJRT_Extension_Type_Layouts,
                PJRT_Extension_Type_MemoryDescriptions}));
}

TEST(ApiTest, NullHandlesAreErrors) {
  auto devices = New<PJRT_Client_Devices_Args>();
  EXPECT_EQ(ToFailure(Api().PJRT_Client_Devices(&devices)).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  auto buffer = New<PJRT_Buffer_Delete_Args>();
  EXPECT_EQ(ToFailure(Api().PJRT_Buffer_Delete(&buffer)).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(ToFailure(Api().PJRT_Buffer_Delete(nullptr)).code,
            PJRT_Error_Code_INVALID_ARGUMENT);
}

TEST(ApiTest, AttributesOfHeadersThatUnderstateTheirSize) {
  auto args = New<PJRT_Plugin_Attributes_Args>();
  args.struct_size = offsetof(PJRT_Plugin_Attributes_Args, num_attributes);
  args.num_attributes = 12345;
  ExpectOk(Api().PJRT_Plugin_Attributes(&args));
  ASSERT_LT(args.num_attributes, 100u);
  EXPECT_EQ(std::string(args.attributes[0].name, args.attributes[0].name_size),
            "stablehlo_current_version");
}

TEST(ApiTest, UnknownCreateOption) {
  auto value = New<PJRT_NamedValue>();
  value.name = "colour";
  value.name_size = std::strlen(value.name);
  auto args = New<PJRT_Client_Create_Args>();
  args.create_options = &value;
  args.num_options = 1;
  const Failure failure = ToFailure(Api().PJRT_Client_Create(&args));
  EXPECT_EQ(failure.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_NE(failure.message.find("colour"), std::string::npos);
}

TEST(ApiTest, DeviceHasAReprAndADeviceMemory) {
  auto description = New<PJRT_Device_GetDescription_Args>();
  description.device = FirstDevice();
  ExpectOk(Api().PJRT_Device_GetDescription(&description));
  auto text = New<PJRT_DeviceDescription_ToString_Args>();
  text.device_description = description.device_description;
  ExpectOk(Api().PJRT_DeviceDescription_ToString(&text));
  EXPECT_EQ(std::string(text.to_string, text.to_string_size),
            "IreeCpuDevice(id=0)");
  auto memory = New<PJRT_Device_DefaultMemory_Args>();
  memory.device = FirstDevice();
  ExpectOk(Api().PJRT_Device_DefaultMemory(&memory));
  auto kind = New<PJRT_Memory_Kind_Args>();
  kind.memory = memory.memory;
  ExpectOk(Api().PJRT_Memory_Kind(&kind));
  EXPECT_EQ(std::string(kind.kind, kind.kind_size), "device");
}

}  // namespace
}  // namespace iree_pjrt_test
