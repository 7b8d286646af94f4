// SPDX-License-Identifier: Apache-2.0
#include "base/object_list.h"

#include "base/wire.h"

namespace iree_pjrt {
namespace {

constexpr uint64_t kObject = 1;

}  // namespace

std::string PackObjects(const std::vector<std::string>& objects) {
  WireWriter writer;
  for (const std::string& object : objects) writer.Bytes(kObject, object);
  return writer.Take();
}

std::vector<std::string_view> UnpackObjects(std::string_view packed) {
  std::vector<std::string_view> objects;
  for (WireReader r(packed); r.Next();) {
    if (r.field() == kObject) objects.push_back(r.bytes());
  }
  return objects;
}

}  // namespace iree_pjrt
