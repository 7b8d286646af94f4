// SPDX-License-Identifier: Apache-2.0
// Messages of any length between two processes, over one end of a socket pair.
// Owns the descriptor. One thread at a time.
#ifndef IREE_PJRT_BASE_MESSAGE_SOCKET_H_
#define IREE_PJRT_BASE_MESSAGE_SOCKET_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace iree_pjrt {

class MessageSocket {
 public:
  explicit MessageSocket(int descriptor) : descriptor_(descriptor) {}
  ~MessageSocket();
  MessageSocket(const MessageSocket&) = delete;
  MessageSocket& operator=(const MessageSocket&) = delete;

  // For both processes.
  void End() const;

  // Whether the other process is still there.
  bool IsOpen() const;

  // False if the other process has ended.
  bool Send(std::string_view message) const;

  enum class Outcome { kMessage, kEnded, kLate };
  // Waits for a message; without a deadline, for ever.
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;
  Outcome Receive(std::string* message, Deadline deadline = {}) const;

 private:
  bool SendBytes(const char* bytes, size_t size) const;
  Outcome ReceiveBytes(char* bytes, size_t size, Deadline deadline) const;

  const int descriptor_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_MESSAGE_SOCKET_H_
