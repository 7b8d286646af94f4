// SPDX-License-Identifier: Apache-2.0
#include "base/scratch_file.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "base/status.h"

namespace iree_pjrt {
namespace {

constexpr uint64_t kWantedBytes = 8 << 20;

}  // namespace

std::string ScratchFolder() {
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    const char* folder = std::getenv(name);
    if (folder && *folder) return folder;
  }
  return "/tmp";
}

std::string RandomName() {
  std::random_device random;
  std::string name;
  for (int i = 0; i < 4; ++i) {
    for (uint32_t bits = random(), k = 0; k < 8; ++k, bits >>= 4) {
      name += "0123456789abcdef"[bits & 15];
    }
  }
  return name;
}

std::string ScratchPath(std::string_view suffix) {
  return ScratchFolder() + "/iree-pjrt-" + RandomName() + std::string(suffix);
}

void CheckScratchFolder() {
  const std::string folder = ScratchFolder();
  const char* advice =
      "; the IREE compiler needs it for temporary files: name another folder "
      "with the environment variable TMPDIR";
  struct statvfs about;
  if (access(folder.c_str(), W_OK | X_OK) != 0 ||
      statvfs(folder.c_str(), &about) != 0) {
    throw Error(
        PJRT_Error_Code_FAILED_PRECONDITION,
        "cannot write to " + folder + ": " + std::strerror(errno) + advice);
  }
  if (about.f_bavail * uint64_t{about.f_frsize} < kWantedBytes) {
    throw Error(PJRT_Error_Code_RESOURCE_EXHAUSTED,
                "no space left in " + folder + advice);
  }
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) ThrowInternal("cannot read " + path);
  return bytes;
}

}  // namespace iree_pjrt
