// SPDX-License-Identifier: Apache-2.0
// The physical layer of MLIR bytecode: varints and sections. Values that look
// into the bytes they were made from.
#ifndef IREE_PJRT_BYTECODE_BYTECODE_READER_H_
#define IREE_PJRT_BYTECODE_BYTECODE_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iree_pjrt {

// Reads from the front; once anything is missing it stays failed.
class BytecodeReader {
 public:
  explicit BytecodeReader(std::string_view data) : data_(data) {}

  bool ok() const { return ok_; }
  bool empty() const { return data_.empty(); }
  std::string_view rest() const { return data_; }

  uint8_t Byte();
  std::string_view Bytes(uint64_t size);
  uint64_t Varint();
  void SkipString();  // up to its NUL

 private:
  std::string_view data_;
  bool ok_ = true;
};

struct BytecodeSection {
  static constexpr uint8_t kStrings = 0;
  static constexpr uint8_t kDialects = 1;
  static constexpr uint8_t kAttributesAndTypes = 2;
  static constexpr uint8_t kAttributeAndTypeOffsets = 3;
  static constexpr uint8_t kIr = 4;
  static constexpr uint8_t kProperties = 8;

  uint8_t id;
  uint64_t alignment;  // 0: none
  std::string_view data;
};

// A reader behind magic, version and producer.
BytecodeReader BytecodeSections(std::string_view program);

// The next section, in the order of the file; padding of aligned ones is
// skipped. `total` is the size of what alignment counts from.
std::optional<BytecodeSection> NextSection(BytecodeReader& reader,
                                           size_t total);

void AppendVarint(uint64_t value, std::string& out);
// `out` is the file so far: alignment counts from its begin.
void AppendSection(const BytecodeSection& section, std::string& out);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BYTECODE_BYTECODE_READER_H_
