// SPDX-License-Identifier: Apache-2.0
#include "bytecode/bytecode.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "bytecode/bytecode_check.h"

namespace iree_pjrt {
namespace {

// A varint of one byte: enough for sizes below 128.
char Small(size_t value) { return static_cast<char>(value << 1 | 1); }

std::string Section(int id, const std::string& data) {
  return std::string{static_cast<char>(id), Small(data.size())} + data;
}

std::string Bytecode(const std::vector<std::string>& dialects) {
  std::string strings(1, Small(dialects.size()));
  for (size_t i = dialects.size(); i-- > 0;) {
    strings += Small(dialects[i].size() + 1);
  }
  std::string table(1, Small(dialects.size()));
  for (size_t i = 0; i < dialects.size(); ++i) {
    strings += dialects[i] + '\0';
    table += Small(i << 1);
  }
  return std::string("ML\xefR") + Small(6) + std::string("producer") + '\0' +
         Section(0, strings) + Section(1, table);
}

TEST(BytecodeTest, FindsDialects) {
  const std::string program = Bytecode({"builtin", "vhlo", "sdy"});
  EXPECT_TRUE(IsMlirBytecode(program));
  EXPECT_TRUE(HoldsDialect(program, "sdy"));
  EXPECT_TRUE(HoldsDialect(program, "vhlo"));
  EXPECT_FALSE(HoldsDialect(program, "sd"));
  EXPECT_FALSE(HoldsDialect(Bytecode({"builtin", "sdy_other"}), "sdy"));
}

TEST(BytecodeTest, DamagedHoldsNothing) {
  const std::string program = Bytecode({"builtin", "sdy"});
  for (size_t size = 0; size < program.size(); ++size) {
    EXPECT_FALSE(HoldsDialect(program.substr(0, size), "sdy")) << size;
  }
}

TEST(BytecodeTest, TextIsScanned) {
  EXPECT_TRUE(HoldsDialect("sdy.mesh @m = <[\"x\"=1]>", "sdy"));
  EXPECT_TRUE(HoldsDialect("{a = #sdy.sharding<@m>}", "sdy"));
  EXPECT_FALSE(HoldsDialect("func @f(\"busdy.x\") loc(\"/sdy.py\")", "sdy"));
}

// A module of one empty block, with one attribute for its location.
std::string Whole(char strings, char operations, char attributes,
                  char properties) {
  const auto bytes = [](std::initializer_list<char> list) {
    return std::string(list);
  };
  return std::string("ML\xefR") + Small(6) + std::string("producer") + '\0' +
         Section(0, bytes({strings, Small(2), Small(2), 'b', 0, 'm', 0})) +
         Section(1, bytes({Small(1), Small(0), operations, Small(0), Small(1),
                           Small(2)})) +
         Section(2, "x") +
         Section(3,
                 bytes({attributes, Small(0), Small(0), Small(1), Small(2)})) +
         Section(4, bytes({Small(2), Small(0), 0, Small(0)})) +
         Section(8, bytes({properties}));
}

TEST(BytecodeCheckTest, CountsFitIntoTheFile) {
  EXPECT_NO_THROW(CheckBytecode(Whole(Small(2), Small(1), Small(1), Small(0))));
  EXPECT_THROW(CheckBytecode(Whole(Small(3), Small(1), Small(1), Small(0))),
               Error);
  EXPECT_THROW(CheckBytecode(Whole(Small(2), Small(2), Small(1), Small(0))),
               Error);
  EXPECT_THROW(CheckBytecode(Whole(Small(2), Small(1), Small(0), Small(0))),
               Error);
  EXPECT_THROW(CheckBytecode(Whole(Small(2), Small(1), Small(1), Small(99))),
               Error);
}

TEST(BytecodeCheckTest, EveryTruncationIsRefused) {
  const std::string whole = Whole(Small(2), Small(1), Small(1), Small(0));
  // The last section, of three bytes, may be absent.
  for (size_t size = 4; size + 3 < whole.size(); ++size) {
    EXPECT_THROW(CheckBytecode(whole.substr(0, size)), Error) << size;
  }
}

TEST(BytecodeCheckTest, TextIsLeftToTheCompiler) {
  EXPECT_NO_THROW(CheckBytecode("module {"));
}

}  // namespace
}  // namespace iree_pjrt
