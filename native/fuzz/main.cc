// SPDX-License-Identifier: Apache-2.0
// Feeds the plugin with damaged inputs, each known by a number, in processes
// that may crash:
//   fuzz_plugin PLUGIN SEEDS run TARGET SECONDS FOUND [FIRST]
//   fuzz_plugin PLUGIN SEEDS replay TARGET FILE...
//   fuzz_plugin PLUGIN SEEDS take TARGET FILE...
// `run` writes into FOUND the first input for each place in which the plugin
// crashed, and prints a line for it and one of figures. The exit code is 1 if
// anything crashed or did not end, or, with `take`, was refused.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "child.h"
#include "targets.h"

namespace iree_pjrt_fuzz {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kBatch = 200;
constexpr double kSecondsPerInput = 60;

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// Reads the seeds, add.mlirbc first.
std::vector<std::string> ReadSeeds(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension().string().starts_with(".mlir")) {
      paths.push_back(file.path());
    }
  }
  std::sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) {
    const auto rank = [](const fs::path& path) {
      return std::pair(path.filename() != "add.mlirbc", path);
    };
    return rank(a) < rank(b);
  });
  if (paths.empty()) throw std::runtime_error("no seeds in " + folder.string());
  std::vector<std::string> seeds;
  for (const fs::path& path : paths) seeds.push_back(ReadAll(path));
  return seeds;
}

struct Session {
  std::string plugin;
  fs::path seeds;
  std::string target;

  Corpus ReadCorpus() const { return {ReadSeeds(seeds), {}}; }
  // Adds a whole serialized executable, made in the child.
  void Complete(Plugin& opened, Corpus& corpus) const {
    if (target == "serialized" || target == "fields" || target == "module") {
      corpus.serialized = opened.Serialize(corpus.programs.front());
    }
  }
};

struct Totals {
  uint64_t inputs = 0;
  uint64_t accepted = 0;
  uint64_t hangs = 0;
  // The number of crashes at each place.
  std::map<std::string, uint64_t> crashes;
};

// Makes the input anew, in a process like the one that crashed.
void Keep(const Session& session, uint64_t number, const fs::path& path) {
  RunBatch(
      [&] {
        return [&](uint64_t which) {
          Plugin plugin(session.plugin);
          Corpus corpus = session.ReadCorpus();
          session.Complete(plugin, corpus);
          const std::string input = MakeInput(session.target, corpus, which);
          std::ofstream(path, std::ios::binary)
              .write(input.data(), static_cast<std::streamsize>(input.size()));
          return true;
        };
      },
      number, 1, kSecondsPerInput);
}

void Note(const Session& session, const Batch& batch, const fs::path& found,
          Totals& totals) {
  if (batch.fate == Fate::kFine) return;
  const bool hang = batch.fate == Fate::kHang;
  const std::string what = hang ? "no end" : batch.what;
  const std::string place = what + " at " + batch.where;
  if (hang) ++totals.hangs;
  if (!hang && ++totals.crashes[place] > 1) return;
  const fs::path path =
      found / (session.target + "-" + std::to_string(batch.number));
  Keep(session, batch.number, path);
  std::printf("%s: %s\n", path.c_str(), place.c_str());
  std::fflush(stdout);
}

int Run(const Session& session, double seconds, const fs::path& found,
        uint64_t first) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  fs::create_directories(found);
  const Start start = [&] {
    auto plugin = std::make_shared<Plugin>(session.plugin);
    auto corpus = std::make_shared<Corpus>(session.ReadCorpus());
    session.Complete(*plugin, *corpus);
    return [=, &session, &end](uint64_t number) {
      if (Clock::now() > end) return false;
      return Feed(*plugin, session.target, *corpus,
                  MakeInput(session.target, *corpus, number));
    };
  };
  Totals totals;
  for (uint64_t next = first; Clock::now() < end;) {
    const Batch batch = RunBatch(start, next, kBatch, kSecondsPerInput);
    Note(session, batch, found, totals);
    const uint64_t last = batch.number + (batch.fate == Fate::kFine ? 0 : 1);
    totals.inputs += last - next;
    totals.accepted += batch.accepted;
    next = last;
  }
  uint64_t crashes = 0;
  for (const auto& [place, count] : totals.crashes) {
    std::printf("%llu x %s\n", static_cast<unsigned long long>(count),
                place.c_str());
    crashes += count;
  }
  std::printf(
      "%s: %llu inputs, %llu taken, %llu crashes in %zu places, "
      "%llu without end\n",
      session.target.c_str(), static_cast<unsigned long long>(totals.inputs),
      static_cast<unsigned long long>(totals.accepted),
      static_cast<unsigned long long>(crashes), totals.crashes.size(),
      static_cast<unsigned long long>(totals.hangs));
  return crashes + totals.hangs > 0;
}

int Replay(const Session& session, bool taken,
           const std::vector<fs::path>& files) {
  int bad = 0;
  const Start start = [&] {
    auto plugin = std::make_shared<Plugin>(session.plugin);
    auto corpus = std::make_shared<Corpus>(session.ReadCorpus());
    return [=, &session, &files](uint64_t number) {
      const bool was_taken =
          Feed(*plugin, session.target, *corpus, ReadAll(files[number]));
      if (taken && !was_taken) throw std::runtime_error("refused");
      return was_taken;
    };
  };
  for (uint64_t next = 0; next < files.size();) {
    const Batch batch =
        RunBatch(start, next, files.size() - next, kSecondsPerInput);
    if (batch.fate == Fate::kFine) break;
    std::printf("%s: %s at %s\n", files[batch.number].c_str(),
                batch.fate == Fate::kHang ? "no end" : batch.what.c_str(),
                batch.where.c_str());
    ++bad;
    next = batch.number + 1;
  }
  return bad > 0;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() < 6) throw std::runtime_error("too few arguments");
  const Session session{arguments[1], arguments[2], arguments[4]};
  if (arguments[3] == "run" && arguments.size() >= 7) {
    return Run(session, std::stod(arguments[5]), arguments[6],
               arguments.size() > 7 ? std::stoull(arguments[7]) : 0);
  }
  if (arguments[3] == "replay" || arguments[3] == "take") {
    return Replay(session, arguments[3] == "take",
                  {arguments.begin() + 5, arguments.end()});
  }
  throw std::runtime_error("neither run, replay nor take");
}

}  // namespace
}  // namespace iree_pjrt_fuzz

int main(int argc, char** argv) {
  try {
    return iree_pjrt_fuzz::Main({argv, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz_plugin: %s\n", error.what());
    return 2;
  }
}
