// SPDX-License-Identifier: Apache-2.0
// The right to make an entry of the disk cache, which one thread of one process
// has at a time: a lock of a byte of a file in the cache's folder. Its end,
// also by kill -9, gives it back.
#ifndef IREE_PJRT_COMPILE_CLAIM_H_
#define IREE_PJRT_COMPILE_CLAIM_H_

#include <chrono>
#include <string>

namespace iree_pjrt {

class Claim {
 public:
  // Of nothing.
  Claim() = default;
  // Waits while somebody else has the claim, but no longer than `patience`.
  // Where files cannot be locked it is a claim of nothing. `key`: hex digits.
  Claim(const std::string& folder, const std::string& key,
        std::chrono::milliseconds patience) noexcept;
  ~Claim() { GiveBack(); }
  Claim(Claim&& other) noexcept;
  Claim& operator=(Claim&& other) noexcept;

  // Whether somebody else had it.
  bool waited() const { return waited_; }
  void GiveBack() noexcept;

 private:
  int fd_ = -1;
  long start_ = 0;
  bool waited_ = false;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_CLAIM_H_
