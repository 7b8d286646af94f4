// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <string>

namespace iree_pjrt {

void Log::Write(LogLevel level, char letter, std::string_view text) const {
  if (!enabled(level)) return;
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  tm local;
  localtime_r(&now.tv_sec, &local);
  char head[64];
  std::snprintf(head, sizeof(head), "iree-pjrt %c %02d:%02d:%02d.%03ld %ld ",
                letter, local.tm_hour, local.tm_min, local.tm_sec,
                now.tv_nsec / 1000000, syscall(SYS_gettid));
  std::string line(head);
  for (const char c : text) {
    if (c == '\n') {
      line += " | ";
    } else {
      line += c;
    }
  }
  line += '\n';
  // A log that cannot be written is no reason to fail.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace iree_pjrt
