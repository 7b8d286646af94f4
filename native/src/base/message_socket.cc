// SPDX-License-Identifier: Apache-2.0
#include "base/message_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>

namespace iree_pjrt {
namespace {

// For poll: -1 waits for ever.
int MillisecondsUntil(MessageSocket::Deadline deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      *deadline - std::chrono::steady_clock::now());
  return static_cast<int>(
      std::clamp<int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

}  // namespace

MessageSocket::~MessageSocket() { close(descriptor_); }

void MessageSocket::End() const { shutdown(descriptor_, SHUT_RDWR); }

bool MessageSocket::IsOpen() const {
  pollfd other_end{descriptor_, POLLRDHUP, 0};
  return poll(&other_end, 1, 0) == 0;
}

bool MessageSocket::Send(std::string_view message) const {
  const uint64_t size = message.size();
  return SendBytes(reinterpret_cast<const char*>(&size), sizeof(size)) &&
         SendBytes(message.data(), message.size());
}

MessageSocket::Outcome MessageSocket::Receive(std::string* message,
                                              Deadline deadline) const {
  uint64_t size = 0;
  const Outcome outcome =
      ReceiveBytes(reinterpret_cast<char*>(&size), sizeof(size), deadline);
  if (outcome != Outcome::kMessage) return outcome;
  message->resize(size);
  return ReceiveBytes(message->data(), size, deadline);
}

bool MessageSocket::SendBytes(const char* bytes, size_t size) const {
  while (size > 0) {
    const ssize_t sent = send(descriptor_, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}

MessageSocket::Outcome MessageSocket::ReceiveBytes(char* bytes, size_t size,
                                                   Deadline deadline) const {
  while (size > 0) {
    pollfd readable{descriptor_, POLLIN, 0};
    const int ready = poll(&readable, 1, MillisecondsUntil(deadline));
    if (ready == 0) return Outcome::kLate;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t received = ready < 0 ? -1 : recv(descriptor_, bytes, size, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return Outcome::kEnded;
    bytes += received;
    size -= static_cast<size_t>(received);
  }
  return Outcome::kMessage;
}

}  // namespace iree_pjrt
