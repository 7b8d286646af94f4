// SPDX-License-Identifier: Apache-2.0
// Bugs that the client option `planted_bug` sets off, for the proof that the
// asan flavour reports them with their lines. cmake/planted_bugs.cmake links
// this into a library that is never shipped, in the place of ClientCreate.
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "pjrt/client.h"

namespace iree_pjrt {

void WrappedClientCreate(PJRT_Client_Create_Args& args) asm(
    "__wrap__ZN9iree_pjrt12ClientCreateER23PJRT_Client_Create_Args");
void RealClientCreate(PJRT_Client_Create_Args& args) asm(
    "__real__ZN9iree_pjrt12ClientCreateER23PJRT_Client_Create_Args");

namespace {

constexpr std::string_view kOption = "planted_bug";
constexpr size_t kSize = 100;

// The compiler must neither see the bugs nor remove them.
volatile size_t past = kSize;
volatile char seen;

void HeapOverflow() {
  std::vector<char> bytes(kSize);
  seen = bytes.data()[past];  // planted heap-overflow: heap-buffer-overflow
}

void UseAfterFree() {
  auto* bytes = new char[kSize]();
  delete[] bytes;
  seen = bytes[past - 1];  // planted use-after-free: heap-use-after-free
}

void Leak() {
  auto* lost = new char[kSize]();  // planted leak: detected memory leaks
  seen = lost[0];
}

void Shift() {
  seen = static_cast<char>(1 << past);  // planted shift: shift exponent
}

void SetOff(std::string_view name) {
  static const auto& bugs =
      *new std::map<std::string_view, std::function<void()>>{
          {"heap-overflow", HeapOverflow},
          {"use-after-free", UseAfterFree},
          {"leak", Leak},
          {"shift", Shift},
      };
  const auto bug = bugs.find(name);
  if (bug == bugs.end()) {
    ThrowInvalidArgument("no such bug is planted: " + std::string(name));
  }
  bug->second();
}

}  // namespace

void WrappedClientCreate(PJRT_Client_Create_Args& args) {
  std::vector<PJRT_NamedValue> others;
  for (size_t i = 0; i < args.num_options; ++i) {
    const PJRT_NamedValue& option = args.create_options[i];
    if (std::string_view(option.name, option.name_size) == kOption) {
      SetOff({option.string_value, option.value_size});
    } else {
      others.push_back(option);
    }
  }
  const auto* all = args.create_options;
  const size_t count = args.num_options;
  args.create_options = others.data();
  args.num_options = others.size();
  RealClientCreate(args);
  args.create_options = all;
  args.num_options = count;
}

}  // namespace iree_pjrt
