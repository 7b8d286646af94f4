// SPDX-License-Identifier: Apache-2.0
// The helper's side of compile/helper_process.h.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "compile/helper_process.h"
#include "compile/helper_reply.h"
#include "compile/task_compiler.h"
#include "ffi/registry.h"
#include "trace/trace.h"

namespace iree_pjrt {
namespace {

// MLIR recurses into what is nested.
constexpr size_t kStack = size_t{256} << 20;

// What the caller had open is none of the helper's: a port, or the end of a
// pipe that somebody waits for.
void CloseOthers(int socket) {
  DIR* const folder = opendir("/proc/self/fd");
  if (!folder) return;
  std::vector<int> others;
  while (const dirent* entry = readdir(folder)) {
    const int descriptor = std::atoi(entry->d_name);
    if (descriptor > 2 && descriptor != socket && descriptor != dirfd(folder)) {
      others.push_back(descriptor);
    }
  }
  closedir(folder);
  for (const int descriptor : others) close(descriptor);
}

// Where memory runs out, a program that does not compile is better than the end
// of the caller.
void OfferItselfFirst() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t ignored = write(file, "500", 3);
  close(file);
}

// A caller that is gone waits for no result.
void EndWith(pid_t parent, int socket) {
  while (true) {
    pollfd other_end{socket, POLLRDHUP, 0};
    if (poll(&other_end, 1, 1000) > 0 || getppid() != parent) _exit(0);
  }
}

std::string Answer(TaskCompiler& compiler, const std::string& message) {
  try {
    const CompileTask task = ParseTask(message);
    HandlerRegistry::Get().Announce(task.handlers);
    setenv("TMPDIR", task.scratch_folder.c_str(), 1);
    if (task.traced) StartRecording();
    CompileResult result = compiler.Compile(task);
    if (task.traced) {
      for (TraceThread& thread : StopRecording().threads) {
        for (TraceEvent& event : thread.events) {
          result.events.push_back(std::move(event));
        }
      }
    }
    return SerializeReply(result);
  } catch (const Error& error) {
    if (CurrentRecording()) StopRecording();
    return SerializeReply(error);
  } catch (const std::exception& error) {
    return SerializeReply(Error(PJRT_Error_Code_INTERNAL, error.what()));
  }
}

void Serve(int descriptor) {
  const MessageSocket socket(descriptor);
  std::string message;
  if (socket.Receive(&message) != MessageSocket::Outcome::kMessage) return;
  TaskCompiler compiler(ParseCompilerOptions(message));
  if (!socket.Send("ready")) return;
  while (socket.Receive(&message) == MessageSocket::Outcome::kMessage) {
    if (!socket.Send(Answer(compiler, message))) break;
  }
  // What the compiler keeps for the process needs no tidying.
  _exit(0);
}

}  // namespace

void ServeTasks(int socket, pid_t parent) {
  // Ctrl-C is for the caller, which has the same terminal.
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  CloseOthers(socket);
  OfferItselfFirst();
  std::thread(EndWith, parent, socket).detach();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_t server;
  const auto run = [](void* descriptor) -> void* {
    Serve(*static_cast<int*>(descriptor));
    return nullptr;
  };
  if (pthread_create(&server, &attributes, run, &socket) == 0) {
    pthread_join(server, nullptr);
  } else {
    Serve(socket);
  }
}

}  // namespace iree_pjrt
