// SPDX-License-Identifier: Apache-2.0
// Programs that libIREECompiler cannot take as the framework sends them: those
// for several devices, and those that hold Shardy's `sdy` dialect, which it
// cannot read. The framework's Python package registers a function (client
// option `framework_passes`, its address) that runs the framework's own passes
// and replies with a plain program.
//
// All devices of a client share memory. For several devices the reply is
// therefore one program, which computes the results of all of them. Two string
// attributes of its module map the devices' arguments to its inputs, and their
// results to its outputs (Program::argument_inputs, result_outputs):
// `iree_pjrt.arguments` and `iree_pjrt.results`, numbers separated by blanks.
//
// The function may be called from any thread, several at once, with no lock of
// ours held; it calls `reply` with 0 or 1 exactly once before it returns, and
// for several devices with 2 at most once before that.
#ifndef IREE_PJRT_PROGRAM_FRAMEWORK_PASSES_H_
#define IREE_PJRT_PROGRAM_FRAMEWORK_PASSES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <string>
#include <string_view>

extern "C" {
#endif

// ok = 1: `data` is a portable VHLO artifact (or MLIR text or bytecode) without
// `sdy`; ok = 0: `data` is an error message; ok = 2: `data` is an artifact to
// show as the optimized program, whose attributes say how its inputs and
// outputs are sharded. `data` is copied.
typedef void (*iree_pjrt_reply_fn)(void* reply_ctx, int32_t ok,
                                   const char* data, size_t size);
typedef void (*iree_pjrt_framework_passes_fn)(const char* artifact, size_t size,
                                              int64_t num_replicas,
                                              int64_t num_partitions,
                                              iree_pjrt_reply_fn reply,
                                              void* reply_ctx);

#ifdef __cplusplus
}  // extern "C"

namespace iree_pjrt {

struct PlainProgram {
  std::string program;
  // For the framework, if it is for several devices.
  std::string shown;
};

// The program to compile: `program` itself if libIREECompiler can take it, else
// what the callback makes of it. Throws INVALID_ARGUMENT with the callback's
// message if it fails, and UNIMPLEMENTED if there is no callback for a program
// that needs one.
PlainProgram RunFrameworkPasses(std::string_view program, int64_t num_replicas,
                                int64_t num_partitions,
                                iree_pjrt_framework_passes_fn callback);

}  // namespace iree_pjrt
#endif

#endif  // IREE_PJRT_PROGRAM_FRAMEWORK_PASSES_H_
