// SPDX-License-Identifier: Apache-2.0
// Damages inputs, as blindly as a disk does and, for MLIR bytecode and text,
// with some idea of their structure. The same number gives the same damage.
#ifndef IREE_PJRT_FUZZ_MUTATE_H_
#define IREE_PJRT_FUZZ_MUTATE_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace iree_pjrt_fuzz {

class Mutator {
 public:
  explicit Mutator(uint64_t number) : random_(number) {}

  // A number from 0 to `end` - 1; `end` is not 0.
  size_t Pick(size_t end) { return random_() % end; }
  const std::string& PickOne(const std::vector<std::string>& from) {
    return from[Pick(from.size())];
  }

  // Makes one to three changes of any bytes; some are taken from `other`.
  std::string Bytes(std::string input, const std::string& other);
  // MLIR bytecode mostly keeps its frame: the damage stays within one section,
  // whose size is set right, or two names change places. In text, numbers,
  // types and lines are exchanged.
  std::string Program(const std::string& input, const std::string& other);

 private:
  void ChangeBytes(std::string& bytes, const std::string& other);
  std::string Sections(const std::string& input, const std::string& other);
  std::string Names(const std::string& strings);
  std::string Text(std::string text, const std::string& other);

  std::mt19937_64 random_;
};

}  // namespace iree_pjrt_fuzz

#endif  // IREE_PJRT_FUZZ_MUTATE_H_
