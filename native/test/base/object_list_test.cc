// SPDX-License-Identifier: Apache-2.0
#include "base/object_list.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace iree_pjrt {
namespace {

TEST(ObjectListTest, ObjectsAreFoundAgain) {
  const std::vector<std::string> objects{std::string("\x7f"
                                                     "ELF\0",
                                                     5),
                                         "", std::string(300, 'x')};
  const std::string packed = PackObjects(objects);
  const std::vector<std::string_view> found = UnpackObjects(packed);
  EXPECT_EQ(std::vector<std::string>(found.begin(), found.end()), objects);
  EXPECT_TRUE(UnpackObjects("").empty());
}

TEST(ObjectListTest, ACutListIsRefused) {
  const std::string packed = PackObjects({"first", "second"});
  for (size_t size = 1; size < packed.size(); ++size) {
    const std::string cut = packed.substr(0, size);
    try {
      EXPECT_EQ(UnpackObjects(cut).size(), 1U) << size;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), PJRT_Error_Code_INVALID_ARGUMENT) << size;
    }
  }
  EXPECT_THROW(UnpackObjects("\x7f"
                             "ELF"),
               Error);
}

}  // namespace
}  // namespace iree_pjrt
