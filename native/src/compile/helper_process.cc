// SPDX-License-Identifier: Apache-2.0
#include "compile/helper_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/scratch_file.h"
#include "base/status.h"
#include "compile/artifacts.h"
#include "compile/helper_reply.h"

extern char** environ;

namespace iree_pjrt {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr char kProgram[] = "iree-pjrt-compiled";
constexpr seconds kMostToStart{60};
// The descriptor of the socket in the helper.
constexpr int kItsSocket = 3;

// The path of the library that this is in.
std::filesystem::path ThisLibrary() {
  Dl_info about;
  if (!dladdr(reinterpret_cast<const void*>(&ServeTasks), &about)) return {};
  std::error_code ignored;
  return std::filesystem::canonical(about.dli_fname, ignored);
}

// Like the caller's process, but for what is not its own business: signals,
// standard input and output. The compiler's own words go to stderr.
class SpawnActions {
 public:
  explicit SpawnActions(int socket) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, 0, "/dev/null", O_RDONLY, 0);
    if (fcntl(2, F_GETFD) == -1) {
      posix_spawn_file_actions_addopen(&files_, 2, "/dev/null", O_WRONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&files_, 2, 1);
    posix_spawn_file_actions_adddup2(&files_, socket, kItsSocket);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnActions() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  // 0, or why not.
  int Run(pid_t* process, const std::string& program,
          const std::string& library) const {
    const std::string socket = std::to_string(kItsSocket);
    const std::string parent = std::to_string(getpid());
    const char* argv[] = {program.c_str(), library.c_str(), socket.c_str(),
                          parent.c_str(), nullptr};
    return posix_spawn(process, program.c_str(), &files_, &attributes_,
                       const_cast<char**>(argv), environ);
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

// Two ends of a socket, neither of which has the number that it is to have in
// the helper: dup2 would leave it closed there.
bool MakeSockets(int ends[2]) {
  int made[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made) != 0) {
    return false;
  }
  for (int i = 0; i < 2; ++i) {
    ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, kItsSocket + 1);
    close(made[i]);
  }
  return ends[0] >= 0 && ends[1] >= 0;
}

// "by signal 11 (Segmentation fault)"
std::string HowItEnded(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "by signal " + std::to_string(signal) + " (" + strsignal(signal) +
           ")";
  }
  return "with exit code " + std::to_string(WEXITSTATUS(status));
}

// Where the program and the flags are now.
std::string Keep(const CompileTask& task, const ClientOptions& options) {
  const std::string folder = options.save_artifacts_dir.empty()
                                 ? ScratchPath("-crash")
                                 : options.save_artifacts_dir;
  const Artifacts artifacts(folder, task.key);
  artifacts.Save("program.mlirbc", task.program);
  std::string flags;
  for (const std::string& flag : task.flags) flags += flag + "\n";
  artifacts.Save("flags.txt", flags);
  return folder + "/" + task.key;
}

}  // namespace

std::unique_ptr<HelperProcess> HelperProcess::Start(
    const ClientOptions& options, std::string* reason) {
  const std::filesystem::path library = ThisLibrary();
  const std::string program = library.parent_path() / kProgram;
  int ends[2];
  if (access(program.c_str(), X_OK) != 0 || !MakeSockets(ends)) {
    *reason = program + ": " + std::strerror(errno);
    return nullptr;
  }
  pid_t process = 0;
  const int error =
      SpawnActions(ends[1]).Run(&process, program, library.string());
  close(ends[1]);
  if (error) {
    close(ends[0]);
    *reason = program + ": " + std::strerror(error);
    return nullptr;
  }
  std::unique_ptr<HelperProcess> helper(
      new HelperProcess(options, process, ends[0]));
  std::string ready;
  if (helper->socket_.Send(SerializeCompilerOptions(options)) &&
      helper->socket_.Receive(&ready, steady_clock::now() + kMostToStart) ==
          MessageSocket::Outcome::kMessage) {
    return helper;
  }
  *reason = program + " did not start";
  return nullptr;
}

HelperProcess::HelperProcess(const ClientOptions& options, pid_t process,
                             int socket)
    : options_(options), process_(process), owner_(getpid()), socket_(socket) {}

HelperProcess::~HelperProcess() {
  if (reaped_ || !is_mine()) return;
  socket_.End();
  // An idle helper ends at once.
  for (int i = 0; i < 200; ++i) {
    if (waitpid(process_, nullptr, WNOHANG) != 0) return;
    std::this_thread::sleep_for(milliseconds(1));
  }
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

bool HelperProcess::is_mine() const { return owner_ == getpid(); }

CompileResult HelperProcess::Compile(const CompileTask& task) {
  MessageSocket::Deadline deadline;
  if (options_.compile_timeout_s > 0) {
    deadline = steady_clock::now() + seconds(options_.compile_timeout_s);
  }
  std::string reply;
  if (!socket_.Send(SerializeTask(task))) ThrowEnded(task, false);
  const auto outcome = socket_.Receive(&reply, deadline);
  if (outcome != MessageSocket::Outcome::kMessage) {
    ThrowEnded(task, outcome == MessageSocket::Outcome::kLate);
  }
  return ParseReply(reply, task.options_proto);
}

void HelperProcess::ThrowEnded(const CompileTask& task, bool late) {
  ended_ = true;
  if (late) kill(process_, SIGKILL);
  int status = 0;
  reaped_ = true;
  const bool known = waitpid(process_, &status, 0) == process_;
  const std::string where =
      "; the program and its flags are in " + Keep(task, options_);
  if (late) {
    throw Error(PJRT_Error_Code_DEADLINE_EXCEEDED,
                "compiling took longer than the " +
                    std::to_string(options_.compile_timeout_s) +
                    " s of IREE_PJRT_COMPILE_TIMEOUT" + where);
  }
  const bool killed =
      known && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  throw Error(
      killed ? PJRT_Error_Code_RESOURCE_EXHAUSTED : PJRT_Error_Code_INTERNAL,
      "the process that compiles ended" +
          (known ? " " + HowItEnded(status) : "") + " over this program" +
          (killed ? ": there was too little memory, or somebody ended it"
                  : "") +
          where);
}

}  // namespace iree_pjrt
