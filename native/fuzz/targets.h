// SPDX-License-Identifier: Apache-2.0
// What is fuzzed, and how its inputs are made.
#ifndef IREE_PJRT_FUZZ_TARGETS_H_
#define IREE_PJRT_FUZZ_TARGETS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "plugin.h"

namespace iree_pjrt_fuzz {

// Whole inputs, from which damaged ones are made.
struct Corpus {
  std::vector<std::string> programs;  // the first has one input, f32[2,3]
  std::string serialized;             // the first program
};

// program: given to Client_Compile. options: those of a program. serialized: a
// damaged executable. fields, module: the same with its checksum set right,
// where the damage is in our part of it or in IREE's. buffer: types, shapes and
// strides of a host array.
const std::vector<std::string>& TargetNames();

std::string MakeInput(const std::string& target, const Corpus& corpus,
                      uint64_t number);
// True if the plugin took the input.
bool Feed(Plugin& plugin, const std::string& target, const Corpus& corpus,
          const std::string& input);

}  // namespace iree_pjrt_fuzz

#endif  // IREE_PJRT_FUZZ_TARGETS_H_
