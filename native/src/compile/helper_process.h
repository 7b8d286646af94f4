// SPDX-License-Identifier: Apache-2.0
// A process beside the caller's in which programs are compiled, so that a crash
// of the compiler is an error of one program and not the end of the caller. It
// lives until this is destroyed or the caller's process ends. One thread at a
// time.
//
// It is the program `iree-pjrt-compiled` beside the plugin's library, which
// opens that library and calls IreePjrtServeCompiler.
#ifndef IREE_PJRT_COMPILE_HELPER_PROCESS_H_
#define IREE_PJRT_COMPILE_HELPER_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/message_socket.h"
#include "compile/compile_task.h"
#include "program/options.h"

namespace iree_pjrt {

class HelperProcess {
 public:
  // Null where it cannot be started; `reason` says why.
  static std::unique_ptr<HelperProcess> Start(const ClientOptions& options,
                                              std::string* reason);
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  // Throws what compiling throws. If the helper ends or takes too long: throws
  // INTERNAL, RESOURCE_EXHAUSTED or DEADLINE_EXCEEDED with where the program
  // is, and this is of no more use.
  CompileResult Compile(const CompileTask& task);

  bool ended() const { return ended_ || !socket_.IsOpen(); }
  // A fork of the process that started it must not use it.
  bool is_mine() const;

 private:
  HelperProcess(const ClientOptions& options, pid_t process, int socket);
  [[noreturn]] void ThrowEnded(const CompileTask& task, bool late);

  const ClientOptions& options_;
  const pid_t process_;
  const pid_t owner_;
  const MessageSocket socket_;
  bool ended_ = false;
  bool reaped_ = false;
};

// What the helper does: serves tasks until the process `parent` ends.
void ServeTasks(int socket, pid_t parent);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_HELPER_PROCESS_H_
