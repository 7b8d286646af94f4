// SPDX-License-Identifier: Apache-2.0
// What the compiler complains about during one invocation, as a message that a
// person can read: what failed, and where in the user's Python.
//
// Listens to the session's MLIR context from construction to destruction, so it
// lives at most as long as the session. The compiler may report from its own
// threads.
#ifndef IREE_PJRT_COMPILE_DIAGNOSTICS_H_
#define IREE_PJRT_COMPILE_DIAGNOSTICS_H_

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/mlir_c.h"

namespace iree_pjrt {

class Diagnostics {
 public:
  Diagnostics(const MlirApi& api, MlirContext context);
  ~Diagnostics();
  Diagnostics(const Diagnostics&) = delete;
  Diagnostics& operator=(const Diagnostics&) = delete;

  // Throws INVALID_ARGUMENT: "the IREE compiler failed " + `doing` and the
  // errors so far.
  [[noreturn]] void Fail(const char* doing);

  // As if there had been no error so far.
  void Forget();

 private:
  static MlirLogicalResult Receive(MlirDiagnostic diagnostic, void* user_data);
  void Add(MlirDiagnostic diagnostic);

  const MlirApi& api_;
  const MlirContext context_;
  MlirDiagnosticHandlerId handler_;
  std::mutex mutex_;
  std::vector<std::string> errors_;
};

// The first line of a diagnostic, without the operation's whole text, of which
// IREE's may hold megabytes.
std::string ShortenDiagnostic(std::string_view text);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_DIAGNOSTICS_H_
