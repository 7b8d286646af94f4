// SPDX-License-Identifier: Apache-2.0
#include "targets.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "base/fingerprint.h"
#include "mutate.h"

namespace iree_pjrt_fuzz {
namespace {

// A message CompileOptionsProto of one replica and one partition, with a device
// assignment and a flag of the compiler.
constexpr char kOptions[] =
    "\x1a\x0e\x20\x01\x28\x01\x4a\x08\x08\x01\x10\x01\x1a\x02\x08\x00\x20\x01"
    "\x3a\x3b\x0a\x15iree_compiler_options\x12\x22\x0a\x20--iree-opt-strip-"
    "assertions=true";
constexpr size_t kOptionsSize = sizeof(kOptions) - 1;

// The checksum is a serialized executable's last field: tag, size, 32 digits.
constexpr size_t kSealSize = 34;
constexpr uint64_t kModuleTag = 8 << 3 | 2;

std::string Seal(std::string body) {
  return body + "\x4a\x20" + iree_pjrt::Fingerprint({body});
}

uint64_t Varint(const std::string& bytes, size_t& at) {
  uint64_t value = 0;
  for (int shift = 0; at < bytes.size() && shift < 64; shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes[at++]);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) break;
  }
  return value;
}

// Where IREE's module begins in a serialized executable; it goes on to the
// seal.
size_t ModuleBegin(const std::string& serialized) {
  for (size_t at = 0; at < serialized.size();) {
    const uint64_t tag = Varint(serialized, at);
    const uint64_t size = Varint(serialized, at);
    if (tag == kModuleTag) return at;
    if ((tag & 7) == 2) at += size;
  }
  throw std::runtime_error("no module in the serialized executable");
}

std::string Fields(Mutator& mutator, const std::string& serialized) {
  const size_t begin = ModuleBegin(serialized);
  const std::string fields = serialized.substr(0, begin);
  const std::string module =
      serialized.substr(begin, serialized.size() - kSealSize - begin);
  return Seal(mutator.Bytes(fields, fields) + module);
}

// The machine code is not damaged: nothing can tell damaged code from the
// compiler's.
std::string Module(Mutator& mutator, const std::string& serialized) {
  std::string body = serialized.substr(0, serialized.size() - kSealSize);
  const size_t begin = ModuleBegin(serialized);
  const size_t code = body.find(
      "\x7f"
      "ELF",
      begin);
  if (code == std::string::npos) throw std::runtime_error("no code");
  uint64_t sections = 0;
  uint16_t count = 0;
  std::memcpy(&sections, body.data() + code + 0x28, sizeof(sections));
  std::memcpy(&count, body.data() + code + 0x3c, sizeof(count));
  const size_t end =
      std::min<size_t>(code + sections + count * 64, body.size());
  for (size_t changes = 1 + mutator.Pick(4); changes > 0; --changes) {
    const size_t free = code - begin + body.size() - end;
    size_t at = begin + mutator.Pick(free);
    if (at >= code) at += end - code;
    body[at] = mutator.Pick(2)
                   ? static_cast<char>(mutator.Pick(256))
                   : static_cast<char>(body[at] ^ (1 << mutator.Pick(8)));
  }
  return Seal(body);
}

constexpr size_t kHostBytes = size_t{1} << 22;

// The input is the type, the number of strides, the dimensions and the strides,
// each of 8 bytes.
std::string Buffer(Mutator& mutator) {
  static constexpr int64_t kDims[] = {
      -1, 0, 1, 2, 3, 5, 7, 8, int64_t{1} << 31, int64_t{1} << 62, INT64_MAX};
  static constexpr int64_t kStrides[] = {0,  1,  2,  3,  4,   8,
                                         24, 64, -4, -8, 4096};
  std::vector<int64_t> numbers;
  numbers.push_back(static_cast<int64_t>(mutator.Pick(40)) - 2);
  const size_t rank = mutator.Pick(6);
  numbers.push_back(mutator.Pick(2) ? static_cast<int64_t>(rank)
                                    : static_cast<int64_t>(mutator.Pick(7)));
  // Mostly small.
  for (size_t i = 0; i < rank; ++i) {
    numbers.push_back(kDims[mutator.Pick(mutator.Pick(4) ? 8 : 11)]);
  }
  for (int64_t i = 0; i < numbers[1]; ++i) {
    numbers.push_back(kStrides[mutator.Pick(std::size(kStrides))]);
  }
  std::string input(numbers.size() * sizeof(int64_t), '\0');
  std::memcpy(input.data(), numbers.data(), input.size());
  return input;
}

bool FeedBuffer(Plugin& plugin, const std::string& input) {
  static const std::vector<char> host(kHostBytes);
  std::vector<int64_t> numbers(input.size() / sizeof(int64_t));
  std::memcpy(numbers.data(), input.data(), numbers.size() * sizeof(int64_t));
  if (numbers.size() < 2) return false;
  const auto strides = static_cast<size_t>(numbers[1]);
  if (strides > numbers.size() - 2) return false;
  HostArray array{static_cast<PJRT_Buffer_Type>(numbers[0]),
                  {numbers.begin() + 2, numbers.end() - numbers[1]},
                  {numbers.end() - numbers[1], numbers.end()}};
  // A caller that describes more memory than there is gets what C gives. So
  // only arrays are sent that fit, or that cannot exist.
  double size = 16;
  for (int64_t dim : array.dims) size *= static_cast<double>(dim);
  if (size > 1e5 && size < 1e16) return false;
  return plugin.Transfer(host.data() + kHostBytes / 2, array);
}

}  // namespace

const std::vector<std::string>& TargetNames() {
  static const std::vector<std::string> names = {
      "program", "options", "serialized", "fields", "module", "buffer"};
  return names;
}

std::string MakeInput(const std::string& target, const Corpus& corpus,
                      uint64_t number) {
  Mutator mutator(number);
  if (target == "program") {
    const std::string& one = mutator.PickOne(corpus.programs);
    return mutator.Program(one, mutator.PickOne(corpus.programs));
  }
  const std::string options(kOptions, kOptionsSize);
  if (target == "options") return mutator.Bytes(options, options);
  if (target == "serialized") {
    return mutator.Bytes(corpus.serialized, corpus.programs.front());
  }
  if (target == "fields") return Fields(mutator, corpus.serialized);
  if (target == "module") return Module(mutator, corpus.serialized);
  if (target == "buffer") return Buffer(mutator);
  throw std::runtime_error("no target " + target);
}

bool Feed(Plugin& plugin, const std::string& target, const Corpus& corpus,
          const std::string& input) {
  if (target == "program") return plugin.Compile(input, "");
  if (target == "options") {
    return plugin.Compile(corpus.programs.front(), input);
  }
  if (target == "serialized" || target == "fields") {
    return plugin.Load(input, /*run=*/true);
  }
  if (target == "module") return plugin.Load(input, /*run=*/false);
  if (target == "buffer") return FeedBuffer(plugin, input);
  throw std::runtime_error("no target " + target);
}

}  // namespace iree_pjrt_fuzz
