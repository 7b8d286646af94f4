// SPDX-License-Identifier: Apache-2.0
// A reader and a writer of protobuf's wire format, enough for the few messages
// that cross the C API. Throws INVALID_ARGUMENT on malformed input.
#ifndef IREE_PJRT_BASE_WIRE_H_
#define IREE_PJRT_BASE_WIRE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace iree_pjrt {

// Iterates over the fields of one message:
//   for (WireReader r(bytes); r.Next();) if (r.field() == 3) ... r.message();
class WireReader {
 public:
  explicit WireReader(std::string_view data) : data_(data) {}

  // Advances to the next field; false at the end.
  bool Next() {
    if (data_.empty()) return false;
    const uint64_t tag = ReadVarint();
    field_ = tag >> 3;
    type_ = static_cast<int>(tag & 7);
    if (field_ == 0) Malformed();
    switch (type_) {
      case 0:
        number_ = ReadVarint();
        break;
      case 1:
        bytes_ = ReadBytes(8);
        break;
      case 2:
        bytes_ = ReadBytes(ReadVarint());
        break;
      case 5:
        bytes_ = ReadBytes(4);
        break;
      default:
        Malformed();
    }
    return true;
  }

  uint64_t field() const { return field_; }
  bool is_bytes() const { return type_ == 2; }
  int64_t number() const {
    if (type_ != 0) Malformed();
    return static_cast<int64_t>(number_);
  }
  std::string_view bytes() const {
    if (type_ != 2) Malformed();
    return bytes_;
  }

  // One varint from the front of packed data.
  static int64_t PopVarint(std::string_view& data) {
    WireReader reader(data);
    const uint64_t value = reader.ReadVarint();
    data = reader.data_;
    return static_cast<int64_t>(value);
  }

 private:
  [[noreturn]] static void Malformed() {
    ThrowInvalidArgument("malformed protobuf message");
  }

  uint64_t ReadVarint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = static_cast<uint8_t>(ReadBytes(1)[0]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return value;
    }
    Malformed();
  }

  std::string_view ReadBytes(uint64_t size) {
    if (size > data_.size()) Malformed();
    const std::string_view bytes = data_.substr(0, size);
    data_.remove_prefix(size);
    return bytes;
  }

  std::string_view data_;
  uint64_t field_ = 0;
  int type_ = 0;
  uint64_t number_ = 0;
  std::string_view bytes_;
};

class WireWriter {
 public:
  void Number(uint64_t field, int64_t value) {
    Varint(field << 3);
    Varint(static_cast<uint64_t>(value));
  }
  void Bytes(uint64_t field, std::string_view bytes) {
    Varint(field << 3 | 2);
    Varint(bytes.size());
    out_ += bytes;
  }
  void Varint(uint64_t value) {
    while (value >= 0x80) {
      out_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    out_ += static_cast<char>(value);
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_WIRE_H_
