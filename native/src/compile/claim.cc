// SPDX-License-Identifier: Apache-2.0
#include "compile/claim.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <thread>
#include <utility>

namespace iree_pjrt {
namespace {

constexpr char kFile[] = "/.claims";
constexpr std::chrono::milliseconds kShortestSleep(1);
constexpr std::chrono::milliseconds kLongestSleep(20);

// Different keys hardly ever share a byte, and lose nothing but time if so.
off_t ByteOf(std::string_view key) {
  uint64_t number = 0;
  const std::string_view digits = key.substr(0, 15);
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return static_cast<off_t>(number);
}

struct flock LockOf(int type, off_t start) {
  struct flock lock = {};
  lock.l_type = static_cast<short>(type);
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = 1;
  return lock;
}

}  // namespace

Claim::Claim(const std::string& folder, const std::string& key,
             std::chrono::milliseconds patience) noexcept
    : start_(ByteOf(key)) {
  // Of an open file, not of the process: its threads exclude each other too.
  const int fd =
      open((folder + kFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  const auto end = std::chrono::steady_clock::now() + patience;
  struct flock lock = LockOf(F_WRLCK, start_);
  // Asked again and again, since a wait of fcntl has no end.
  for (auto sleep = kShortestSleep;;
       sleep = std::min(2 * sleep, kLongestSleep)) {
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
      fd_ = fd;
      return;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EACCES) break;
    waited_ = true;
    if (std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(sleep);
  }
  close(fd);
}

Claim::Claim(Claim&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      start_(other.start_),
      waited_(other.waited_) {}

Claim& Claim::operator=(Claim&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(start_, other.start_);
  std::swap(waited_, other.waited_);
  return *this;
}

void Claim::GiveBack() noexcept {
  if (fd_ < 0) return;
  // A forked process has the file open too, and would keep the lock.
  struct flock lock = LockOf(F_UNLCK, start_);
  fcntl(fd_, F_OFD_SETLK, &lock);
  close(std::exchange(fd_, -1));
}

}  // namespace iree_pjrt
