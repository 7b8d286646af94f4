// SPDX-License-Identifier: Apache-2.0
#include "compile/diagnostics.h"

#include <algorithm>

#include "base/status.h"
#include "compile/source_location.h"

namespace iree_pjrt {
namespace {

// The first error is what went wrong; the second says which stage gave up.
constexpr size_t kMaxErrors = 2;
constexpr size_t kMaxLine = 300;

std::string Print(const MlirApi& api, MlirDiagnostic diagnostic) {
  std::string text;
  api.mlirDiagnosticPrint(diagnostic, &AppendToString, &text);
  return text;
}

}  // namespace

std::string ShortenDiagnostic(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  std::string shortened(line.substr(0, kMaxLine));
  if (shortened.size() < line.size()) shortened += " ...";
  return shortened;
}

Diagnostics::Diagnostics(const MlirApi& api, MlirContext context)
    : api_(api),
      context_(context),
      handler_(api.mlirContextAttachDiagnosticHandler(context, &Receive, this,
                                                      nullptr)) {}

Diagnostics::~Diagnostics() {
  api_.mlirContextDetachDiagnosticHandler(context_, handler_);
}

// Claims every diagnostic: MLIR would print the others to stderr.
MlirLogicalResult Diagnostics::Receive(MlirDiagnostic diagnostic,
                                       void* user_data) {
  auto* self = static_cast<Diagnostics*>(user_data);
  if (self->api_.mlirDiagnosticGetSeverity(diagnostic) ==
      kMlirDiagnosticError) {
    self->Add(diagnostic);
  }
  return MlirLogicalResult{1};
}

void Diagnostics::Add(MlirDiagnostic diagnostic) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (errors_.size() >= kMaxErrors) return;
  const SourceLocation location =
      ReadLocation(api_, api_.mlirDiagnosticGetLocation(diagnostic));
  std::string error = "\n";
  if (!location.operation.empty()) error += location.operation + ": ";
  error += ShortenDiagnostic(Print(api_, diagnostic));
  error += location.ToString();
  if (std::find(errors_.begin(), errors_.end(), error) == errors_.end()) {
    errors_.push_back(std::move(error));
  }
}

void Diagnostics::Fail(const char* doing) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string message = std::string("the IREE compiler failed ") + doing;
  if (errors_.empty()) message += " and did not say why";
  for (const std::string& error : errors_) message += error;
  ThrowInvalidArgument(std::move(message));
}

void Diagnostics::Forget() {
  std::lock_guard<std::mutex> lock(mutex_);
  errors_.clear();
}

}  // namespace iree_pjrt
