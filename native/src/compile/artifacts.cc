// SPDX-License-Identifier: Apache-2.0
#include "compile/artifacts.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace iree_pjrt {

Artifacts::Artifacts(const std::string& dir, const std::string& fingerprint) {
  if (dir.empty()) return;
  folder_ = (std::filesystem::path(dir) / fingerprint).string();
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
}

void Artifacts::Save(const char* name, std::string_view bytes) const noexcept {
  if (!enabled()) return;
  try {
    std::ofstream file(std::filesystem::path(folder_) / name, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  } catch (...) {
    // Nothing may come of it.
  }
}

}  // namespace iree_pjrt
