// SPDX-License-Identifier: Apache-2.0
// What a compilation read and wrote, saved for a developer to look at
// (IREE_PJRT_SAVE_ARTIFACTS): one folder per program, named by its fingerprint.
// A file that cannot be written never fails a compilation.
#ifndef IREE_PJRT_COMPILE_ARTIFACTS_H_
#define IREE_PJRT_COMPILE_ARTIFACTS_H_

#include <string>
#include <string_view>

namespace iree_pjrt {

class Artifacts {
 public:
  // An empty `dir` saves nothing.
  Artifacts(const std::string& dir, const std::string& fingerprint);

  bool enabled() const { return !folder_.empty(); }
  void Save(const char* name, std::string_view bytes) const noexcept;

 private:
  std::string folder_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_ARTIFACTS_H_
