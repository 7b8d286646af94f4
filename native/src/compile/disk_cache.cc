// SPDX-License-Identifier: Apache-2.0
#include "compile/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/fingerprint.h"
#include "base/scratch_file.h"

namespace iree_pjrt {
namespace {

namespace fs = std::filesystem;

constexpr char kEntrySuffix[] = ".program";
constexpr char kTemporarySuffix[] = ".tmp";
constexpr size_t kChecksumSize = 32;
// Whoever compiles longer than this may have been stopped.
constexpr auto kPatience = std::chrono::minutes(10);
constexpr auto kAbandoned = std::chrono::hours(1);
// Entries are touched on use no more often than this.
constexpr int64_t kTouchSeconds = 600;

[[noreturn]] void ThrowErrno() {
  throw std::system_error(errno, std::generic_category());
}

// A file that is unlinked unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path)
      : path_(std::move(path)),
        fd_(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                 0600)) {
    if (fd_ < 0) ThrowErrno();
  }
  ~TemporaryFile() {
    if (fd_ >= 0) close(fd_);
    if (!path_.empty()) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = write(fd_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) ThrowErrno();
      bytes.remove_prefix(static_cast<size_t>(count));
    }
  }
  void RenameTo(const std::string& path) {
    if (close(std::exchange(fd_, -1)) != 0) ThrowErrno();
    if (rename(path_.c_str(), path.c_str()) != 0) ThrowErrno();
    path_.clear();
  }

 private:
  std::string path_;
  int fd_;
};

// Least recently used is oldest by modification time, which every file system
// keeps.
void Touch(const std::string& path) {
  struct stat about;
  if (stat(path.c_str(), &about) != 0) return;
  if (time(nullptr) - about.st_mtime < kTouchSeconds) return;
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

}  // namespace

DiskCache::DiskCache(std::string folder, uint64_t max_bytes, Log log)
    : folder_(std::move(folder)), max_bytes_(max_bytes), log_(log) {}

std::string DiskCache::PathOf(const std::string& key) const {
  return folder_ + "/" + key + kEntrySuffix;
}

std::optional<std::string> DiskCache::Find(
    const std::string& key) const noexcept {
  if (!enabled()) return std::nullopt;
  try {
    const std::string path = PathOf(key);
    if (access(path.c_str(), R_OK) != 0) return std::nullopt;
    std::string entry = ReadFile(path);
    if (entry.size() < kChecksumSize ||
        entry.substr(0, kChecksumSize) !=
            Fingerprint({std::string_view(entry).substr(kChecksumSize)})) {
      log_.Info("cache: " + path + " is damaged and was removed");
      unlink(path.c_str());
      return std::nullopt;
    }
    Touch(path);
    return entry.substr(kChecksumSize);
  } catch (...) {
    // Another process has evicted the entry since we saw it.
    return std::nullopt;
  }
}

Claim DiskCache::ClaimToMake(const std::string& key) noexcept {
  if (!enabled()) return Claim();
  try {
    MakeFolder();
    Claim claim(folder_, key, kPatience);
    if (claim.waited()) claim.GiveBack();
    return claim;
  } catch (const std::exception&) {
    return Claim();
  }
}

void DiskCache::Store(const std::string& key, std::string_view blob) noexcept {
  if (!enabled() || blob.size() + kChecksumSize > max_bytes_) return;
  try {
    WriteEntry(key, blob);
    Grow(blob.size() + kChecksumSize);
  } catch (const std::exception& error) {
    Complain(error.what());
  }
}

void DiskCache::Link(const std::string& key,
                     const std::string& alias) noexcept {
  if (!enabled()) return;
  try {
    // On a file system without hard links, the next look-up only takes a little
    // longer.
    if (link(PathOf(key).c_str(), PathOf(alias).c_str()) != 0 &&
        errno != EEXIST) {
      log_.Debug(std::string("cache: no link: ") + std::strerror(errno));
    }
  } catch (const std::exception& error) {
    Complain(error.what());
  }
}

void DiskCache::MakeFolder() const {
  std::error_code failure;
  if (fs::create_directories(folder_, failure)) chmod(folder_.c_str(), 0700);
}

void DiskCache::WriteEntry(const std::string& key, std::string_view blob) {
  MakeFolder();
  TemporaryFile file(folder_ + "/" + RandomName() + kTemporarySuffix);
  file.Write(Fingerprint({blob}));
  file.Write(blob);
  file.RenameTo(PathOf(key));
}

void DiskCache::Grow(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (known_bytes_) *known_bytes_ += bytes;
  if (known_bytes_ && *known_bytes_ <= max_bytes_) return;
  // Some room, so that it is not looked for at every entry.
  known_bytes_ = Evict(max_bytes_);
}

// Removes the oldest entries until the others fit; returns the size of those.
uint64_t DiskCache::Evict(uint64_t limit) const {
  struct Entry {
    fs::file_time_type used;
    uint64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code ignored;
  const auto now = fs::file_time_type::clock::now();
  for (const auto& file : fs::directory_iterator(folder_, ignored)) {
    std::error_code gone;
    const auto used = file.last_write_time(gone);
    // An entry with an alias is listed twice, but takes its space once.
    const uint64_t links = std::max<uint64_t>(file.hard_link_count(gone), 1);
    const uint64_t size = file.file_size(gone) / links;
    if (gone) continue;
    const fs::path extension = file.path().extension();
    if (extension == kTemporarySuffix && now - used > kAbandoned) {
      fs::remove(file.path(), gone);
    } else if (extension == kEntrySuffix) {
      entries.push_back({used, size, file.path()});
      total += size;
    }
  }
  if (total <= limit) return total;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= limit - limit / 8) break;
    std::error_code gone;
    fs::remove(entry.path, gone);
    total -= entry.size;
  }
  return total;
}

void DiskCache::Complain(const char* what) noexcept {
  try {
    std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(complained_, true)) return;
    log_.Info("cache: cannot store in " + folder_ + ": " + what +
              "; compiled programs are not kept");
  } catch (...) {
    // Out of memory: there is no one left to tell.
  }
}

}  // namespace iree_pjrt
