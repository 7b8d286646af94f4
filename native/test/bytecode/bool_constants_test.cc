// SPDX-License-Identifier: Apache-2.0
#include "bytecode/bool_constants.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bytecode/bytecode_reader.h"

namespace iree_pjrt {
namespace {

std::string Varints(const std::vector<uint64_t>& values) {
  std::string out;
  for (uint64_t value : values) AppendVarint(value, out);
  return out;
}

// A module of two dialects whose attributes are one string of builtin and one
// constant of vhlo, whose type is tensor<`size` x bool> or, where `element` is
// 1, of another element type.
std::string Module(uint64_t size, const std::string& blob,
                   uint64_t element = 0) {
  const std::string constant = Varints({15, 0, blob.size()}) + blob;
  const std::string tensor = Varints({20, 1, size << 1, 1 + element});
  const std::string boolean = Varints({0});
  const std::string other = Varints({9});
  std::string out = std::string("ML\xefR") + Varints({6}) + "producer" + '\0';
  const std::string strings = Varints({2, 5, 8}) + "builtin" + '\0' + "vhlo";
  const std::string offsets = Varints(
      {2, 3, 0, 1, 2 << 1, 1, 1, constant.size() << 1 | 1, 1, 3,
       tensor.size() << 1 | 1, boolean.size() << 1 | 1, other.size() << 1 | 1});
  const std::string data = "ab" + constant + tensor + boolean + other;
  AppendSection({BytecodeSection::kDialects, 0, Varints({2, 0, 2})}, out);
  AppendSection({BytecodeSection::kAttributeAndTypeOffsets, 0, offsets}, out);
  AppendSection({BytecodeSection::kAttributesAndTypes, 0, data}, out);
  AppendSection({5, 16, "aligned"}, out);
  AppendSection({BytecodeSection::kStrings, 0, strings + '\0'}, out);
  return out;
}

TEST(BoolConstantsTest, AByteForEachBoolean) {
  EXPECT_EQ(UnpackBoolConstants(Module(10, "\x4a\x02")),
            Module(10, std::string("\0\1\0\1\0\0\1\0\0\1", 10)));
  EXPECT_EQ(UnpackBoolConstants(Module(3, "\x05")),
            Module(3, std::string("\1\0\1", 3)));
}

TEST(BoolConstantsTest, LargeConstants) {
  const std::string packed(100'000, '\x81');
  const std::string unpacked = UnpackBoolConstants(Module(800'000, packed));
  std::string eight("\1\0\0\0\0\0\0\1", 8);
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += eight;
  EXPECT_TRUE(unpacked == Module(800'000, bytes));
}

TEST(BoolConstantsTest, OthersStay) {
  EXPECT_EQ(UnpackBoolConstants(Module(8, "\xff")), "");  // all true
  EXPECT_EQ(UnpackBoolConstants(Module(8, std::string(1, '\0'))), "");
  EXPECT_EQ(UnpackBoolConstants(Module(1, "\x01")), "");
  EXPECT_EQ(UnpackBoolConstants(Module(16, "\x4a\x02", 1)), "");
  EXPECT_EQ(UnpackBoolConstants("module {}"), "");
}

TEST(BoolConstantsTest, DamagedStays) {
  const std::string program = Module(10, "\x4a\x02");
  for (size_t size = 0; size < program.size(); ++size) {
    EXPECT_EQ(UnpackBoolConstants(program.substr(0, size)), "") << size;
  }
}

TEST(BytecodeReaderTest, Varints) {
  for (uint64_t value :
       {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{1} << 20,
        (uint64_t{1} << 56) - 1, uint64_t{1} << 56, ~uint64_t{0}}) {
    std::string bytes;
    AppendVarint(value, bytes);
    BytecodeReader reader(bytes);
    EXPECT_EQ(reader.Varint(), value);
    EXPECT_TRUE(reader.ok() && reader.empty());
  }
}

}  // namespace
}  // namespace iree_pjrt
