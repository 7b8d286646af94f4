// SPDX-License-Identifier: Apache-2.0
// Files by which the compiler hands over what it has no function for. In the
// folder that LLVM too uses for its temporary files. Thread-safe.
#ifndef IREE_PJRT_BASE_SCRATCH_FILE_H_
#define IREE_PJRT_BASE_SCRATCH_FILE_H_

#include <string>
#include <string_view>

namespace iree_pjrt {

// As LLVM chooses it; read each time, as LLVM does.
std::string ScratchFolder();

// 32 characters that no one has used or can guess.
std::string RandomName();

// A path with such a name; nothing is created.
std::string ScratchPath(std::string_view suffix);

// Throws RESOURCE_EXHAUSTED or FAILED_PRECONDITION, with what to do, if no file
// of moderate size can be made there: LLVM ends the process when its own
// temporary file cannot be made or written.
void CheckScratchFolder();

// What is in a file. Throws INTERNAL if it cannot be read.
std::string ReadFile(const std::string& path);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_SCRATCH_FILE_H_
