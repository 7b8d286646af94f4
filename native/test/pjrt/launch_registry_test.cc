// SPDX-License-Identifier: Apache-2.0
#include "pjrt/launch_registry.h"

#include <gtest/gtest.h>

namespace iree_pjrt {
namespace {

TEST(LaunchRegistryTest, PoisonsTheEarliestUnfinished) {
  LaunchRegistry registry;
  const auto finished = std::make_shared<Completion>();
  const auto first = std::make_shared<Completion>();
  const auto second = std::make_shared<Completion>();
  for (const auto& launch : {finished, first, second}) registry.Add(7, launch);
  finished->Complete(nullptr);
  const Error poison(PJRT_Error_Code_ABORTED, "poison");
  EXPECT_TRUE(registry.Poison(7, poison, nullptr));
  ASSERT_TRUE(first->done());
  EXPECT_EQ(first->outcome()->message(), "poison");
  EXPECT_EQ(finished->outcome(), nullptr);
  EXPECT_FALSE(second->done());
  EXPECT_TRUE(registry.Poison(7, poison, nullptr));
  EXPECT_FALSE(registry.Poison(7, poison, nullptr));
}

TEST(LaunchRegistryTest, OtherIdsAndNoIdAreLeftAlone) {
  LaunchRegistry registry;
  const auto launch = std::make_shared<Completion>();
  const auto anonymous = std::make_shared<Completion>();
  registry.Add(1, launch);
  registry.Add(0, anonymous);
  const Error poison(PJRT_Error_Code_ABORTED, "poison");
  EXPECT_FALSE(registry.Poison(2, poison, nullptr));
  EXPECT_FALSE(registry.Poison(0, poison, nullptr));
  EXPECT_FALSE(launch->done());
}

}  // namespace
}  // namespace iree_pjrt
