// SPDX-License-Identifier: Apache-2.0
// XLA's FFI as a C ABI: the locked header (0.2) and what later minors added to
// it. Handlers of 0.1 to 0.5 are called; they differ only in the structs below
// and tell their own version through the metadata extension.
#ifndef IREE_PJRT_FFI_ABI_H_
#define IREE_PJRT_FFI_ABI_H_

#include "xla/ffi/api/c_api.h"

// Exported beside GetPjrtApi: through it a framework registers handlers.
extern "C" __attribute__((visibility("default"))) const XLA_FFI_Api*
XLA_FFI_GetApi();

namespace iree_pjrt {

// The minor that our XLA_FFI_Api speaks.
inline constexpr int kFfiMinor = 5;
// Since this minor, states belong to a stage.
inline constexpr int kFfiMinorOfStagedStates = 3;
// Up to this minor, a state came with its deleter.
inline constexpr int kFfiMinorOfDeleters = 1;

struct FfiStateSetWithDeleter {  // 0.1
  size_t struct_size;
  void* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_TypeId* type_id;
  void* state;
  void (*deleter)(void* state);
};

struct FfiStateSetOfStage {  // 0.3
  size_t struct_size;
  void* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_TypeId* type_id;
  void* state;
};

struct FfiStateGetOfStage {  // 0.3
  size_t struct_size;
  void* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_TypeId* type_id;
  void* state;  // out
};

struct FfiErrorGetDetails {  // 0.4, in the place of Error_GetMessage
  size_t struct_size;
  void* extension_start;
  XLA_FFI_Error* error;
  const char* message;      // out
  XLA_FFI_Error_Code errc;  // out
};

struct FfiFindExtension {  // 0.4
  size_t struct_size;
  void* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int64_t extension_type;
  const void* extension;  // out
};

struct FfiCustomOptionsGet {  // 0.5
  size_t struct_size;
  void* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  const XLA_FFI_Attrs* attrs;  // out
};

// The table of 0.5.
struct FfiApi {
  XLA_FFI_Api base;
  XLA_FFI_Error* (*find_extension)(FfiFindExtension*);
  XLA_FFI_Error* (*custom_options_get)(FfiCustomOptionsGet*);
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_ABI_H_
