// SPDX-License-Identifier: Apache-2.0
// Blobs in a folder, by key, bounded in size; the least recently used go first.
//
// Any number of threads and processes may use a folder at once: an entry
// appears whole by a rename, and each is checked against its checksum when it
// is read. Nothing here throws: what is damaged, missing, unwritable or full is
// a miss, and a line in the log.
#ifndef IREE_PJRT_COMPILE_DISK_CACHE_H_
#define IREE_PJRT_COMPILE_DISK_CACHE_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "compile/claim.h"

namespace iree_pjrt {

class DiskCache {
 public:
  // No folder or no bytes: nothing is ever stored or found. The folder is made,
  // for its owner alone, when something is stored.
  DiskCache(std::string folder, uint64_t max_bytes, Log log);

  bool enabled() const { return max_bytes_ > 0 && !folder_.empty(); }

  // `key`: characters that a file name may hold.
  std::optional<std::string> Find(const std::string& key) const noexcept;
  // The claim to make the entry, if nobody has it. Of those that ask for it at
  // once the first gets it; the others wait until it has been given back, and
  // then go on at once: what is not there then will not come.
  Claim ClaimToMake(const std::string& key) noexcept;
  void Store(const std::string& key, std::string_view blob) noexcept;
  // What is stored under `key` is found under `alias` too.
  void Link(const std::string& key, const std::string& alias) noexcept;

 private:
  std::string PathOf(const std::string& key) const;
  void MakeFolder() const;
  void WriteEntry(const std::string& key, std::string_view blob);
  void Grow(uint64_t bytes);
  uint64_t Evict(uint64_t limit) const;
  void Complain(const char* what) noexcept;

  const std::string folder_;
  const uint64_t max_bytes_;
  const Log log_;
  std::mutex mutex_;
  // The size of the folder when it was last counted, and what this process has
  // added since.
  std::optional<uint64_t> known_bytes_;
  bool complained_ = false;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_DISK_CACHE_H_
