// SPDX-License-Identifier: Apache-2.0
#include "base/message_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace iree_pjrt {
namespace {

using Outcome = MessageSocket::Outcome;

struct Pair {
  Pair() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    one = std::make_unique<MessageSocket>(ends[0]);
    other = std::make_unique<MessageSocket>(ends[1]);
  }
  std::unique_ptr<MessageSocket> one, other;
};

TEST(MessageSocketTest, MessagesArriveWholeAndInOrder) {
  const Pair pair;
  // More than a socket holds.
  const std::string large(8 << 20, 'x');
  std::thread sender([&] {
    for (const std::string& message :
         {std::string(), large, std::string("b")}) {
      EXPECT_TRUE(pair.one->Send(message));
    }
  });
  for (const std::string& expected : {std::string(), large, std::string("b")}) {
    std::string message = "before";
    EXPECT_EQ(pair.other->Receive(&message), Outcome::kMessage);
    EXPECT_EQ(message, expected);
  }
  sender.join();
}

TEST(MessageSocketTest, TheOtherEndIsMissed) {
  Pair pair;
  EXPECT_TRUE(pair.one->Send("last"));
  EXPECT_TRUE(pair.other->IsOpen());
  pair.one.reset();
  EXPECT_FALSE(pair.other->IsOpen());
  std::string message;
  EXPECT_EQ(pair.other->Receive(&message), Outcome::kMessage);
  EXPECT_EQ(message, "last");
  EXPECT_EQ(pair.other->Receive(&message), Outcome::kEnded);
  EXPECT_FALSE(pair.other->Send("nobody") && pair.other->Send("there"));
}

TEST(MessageSocketTest, ADeadlineIsKept) {
  const Pair pair;
  std::string message;
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  EXPECT_EQ(pair.one->Receive(&message, deadline), Outcome::kLate);
  EXPECT_GE(std::chrono::steady_clock::now(), deadline);
}

}  // namespace
}  // namespace iree_pjrt
