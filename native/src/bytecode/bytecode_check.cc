// SPDX-License-Identifier: Apache-2.0
#include "bytecode/bytecode_check.h"

#include <cstdint>
#include <map>
#include <string>

#include "base/status.h"
#include "bytecode/bytecode.h"
#include "bytecode/bytecode_reader.h"

namespace iree_pjrt {
namespace {

// Versions of the encoding, as MLIR numbers them.
constexpr uint64_t kDialectVersions = 1;
constexpr uint64_t kLazyLoading = 2;
constexpr uint64_t kUseListOrders = 3;
constexpr uint64_t kElidedLocations = 4;
constexpr uint64_t kNativeProperties = 5;
constexpr uint64_t kNewest = 6;

// What an operation has, as bits of its mask.
constexpr uint8_t kHasAttributes = 0x01;
constexpr uint8_t kHasResults = 0x02;
constexpr uint8_t kHasOperands = 0x04;
constexpr uint8_t kHasSuccessors = 0x08;
constexpr uint8_t kHasRegions = 0x10;
constexpr uint8_t kHasUseListOrders = 0x20;
constexpr uint8_t kHasProperties = 0x40;

// Deeper than any program; each level takes some of the stack.
constexpr int kMaxDepth = 500;

[[noreturn]] void ThrowDamaged(const char* what) {
  ThrowInvalidArgument(std::string("the program's bytecode is damaged: ") +
                       what);
}

void Require(bool holds, const char* what) {
  if (!holds) ThrowDamaged(what);
}

class Checker {
 public:
  explicit Checker(std::string_view program) : program_(program) {}

  void Check() {
    BytecodeReader header(program_.substr(4));
    version_ = header.Varint();
    // The compiler says which it reads.
    if (version_ > kNewest) return;
    BytecodeReader reader = BytecodeSections(program_);
    while (reader.ok() && !reader.empty()) {
      const auto section = NextSection(reader, program_.size());
      Require(section.has_value(), "a section is cut off");
      Require(sections_.emplace(section->id, section->data).second,
              "a section comes twice");
    }
    Require(reader.ok(), "its head is cut off");
    strings_ = CheckStrings(Section(BytecodeSection::kStrings));
    CheckDialects(Section(BytecodeSection::kDialects));
    CheckOffsets(Section(BytecodeSection::kAttributeAndTypeOffsets),
                 Section(BytecodeSection::kAttributesAndTypes).size());
    if (sections_.contains(BytecodeSection::kProperties)) {
      BytecodeReader properties(Section(BytecodeSection::kProperties));
      if (!properties.empty()) properties_ = Count(properties);
    }
    BytecodeReader ir(Section(BytecodeSection::kIr));
    Block(ir, 0);
    Require(ir.ok(), "its operations are cut off");
  }

 private:
  std::string_view Section(uint8_t id) const {
    const auto found = sections_.find(id);
    if (found == sections_.end()) ThrowDamaged("a section is missing");
    return found->second;
  }

  // Reads how many things follow. Each takes at least a byte.
  static uint64_t Count(BytecodeReader& reader) {
    return Bounded(reader, reader.Varint());
  }
  static uint64_t Bounded(const BytecodeReader& reader, uint64_t count) {
    Require(reader.ok() && count <= reader.rest().size(),
            "a count is larger than the file");
    return count;
  }
  static uint64_t Index(BytecodeReader& reader, uint64_t end) {
    return Named(reader, reader.Varint(), end);
  }
  static uint64_t Named(const BytecodeReader& reader, uint64_t index,
                        uint64_t end) {
    Require(reader.ok() && index < end, "an index names nothing");
    return index;
  }

  static uint64_t CheckStrings(std::string_view section) {
    BytecodeReader reader(section);
    const uint64_t count = Count(reader);
    uint64_t total = 0;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t size = reader.Varint();
      Require(reader.ok() && size > 0 && size <= section.size(),
              "a string has no size");
      total += size;
    }
    Require(total == reader.rest().size(), "strings overlap");
    return count;
  }

  void CheckDialects(std::string_view section) {
    BytecodeReader reader(section);
    dialects_ = Count(reader);
    for (uint64_t i = 0; i < dialects_; ++i) {
      const uint64_t name = reader.Varint();
      const bool versioned = version_ >= kDialectVersions && (name & 1);
      Named(reader, version_ >= kDialectVersions ? name >> 1 : name, strings_);
      if (versioned) {
        Require(NextSection(reader, section.size()).has_value(),
                "a dialect's version is cut off");
      }
    }
    const bool counted = version_ >= kElidedLocations;
    const uint64_t expected = counted ? Count(reader) : 0;
    while (reader.ok() && !reader.empty()) {
      Index(reader, dialects_);
      for (uint64_t left = Count(reader); left > 0; --left, ++operations_) {
        const uint64_t name = reader.Varint();
        Named(reader, version_ >= kNativeProperties ? name >> 1 : name,
              strings_);
      }
    }
    Require(!counted || operations_ == expected,
            "another number of operations than announced");
  }

  void CheckOffsets(std::string_view section, uint64_t total) {
    BytecodeReader reader(section);
    attributes_ = Count(reader);
    types_ = Count(reader);
    uint64_t used = 0;
    for (uint64_t of_a_kind : {attributes_, types_}) {
      for (uint64_t left = of_a_kind; left > 0;) {
        Index(reader, dialects_);
        const uint64_t group = Count(reader);
        Require(group > 0 && group <= left,
                "another number of attributes or types than announced");
        for (uint64_t i = 0; i < group; ++i) used += Size(reader, total);
        left -= group;
      }
    }
    Require(used <= total, "attributes are cut off");
  }

  static uint64_t Size(BytecodeReader& reader, uint64_t most) {
    const uint64_t size = reader.Varint() >> 1;
    Require(reader.ok() && size <= most, "an attribute is cut off");
    return size;
  }

  void Block(BytecodeReader& reader, int depth) {
    const uint64_t head = reader.Varint();
    const uint64_t operations = Bounded(reader, head >> 1);
    if (head & 1) {
      const uint64_t arguments = Count(reader);
      for (uint64_t i = 0; i < arguments; ++i) Argument(reader);
      if (version_ >= kUseListOrders && reader.Byte()) {
        UseLists(reader, arguments);
      }
    }
    for (uint64_t i = 0; i < operations; ++i) Operation(reader, depth);
  }

  void Argument(BytecodeReader& reader) {
    uint64_t type = reader.Varint();
    bool located = true;
    if (version_ >= kElidedLocations) {
      located = type & 1;
      type >>= 1;
    }
    Named(reader, type, types_);
    if (located) Index(reader, attributes_);
  }

  void Operation(BytecodeReader& reader, int depth) {
    Index(reader, operations_);
    const uint8_t mask = reader.Byte();
    Index(reader, attributes_);  // its location
    if (mask & kHasAttributes) Index(reader, attributes_);
    if (mask & kHasProperties) Index(reader, properties_);
    uint64_t results = 0;
    if (mask & kHasResults) {
      results = Count(reader);
      for (uint64_t i = 0; i < results; ++i) Index(reader, types_);
    }
    for (uint8_t list : {kHasOperands, kHasSuccessors}) {
      if (!(mask & list)) continue;
      for (uint64_t left = Count(reader); left > 0; --left) reader.Varint();
    }
    if (mask & kHasUseListOrders) UseLists(reader, results);
    if (mask & kHasRegions) Regions(reader, depth + 1);
  }

  static void UseLists(BytecodeReader& reader, uint64_t values) {
    const uint64_t lists = values > 1 ? Count(reader) : 1;
    for (uint64_t i = 0; i < lists; ++i) {
      if (values > 1) reader.Varint();
      for (uint64_t left = Bounded(reader, reader.Varint() >> 1); left > 0;
           --left) {
        reader.Varint();
      }
    }
  }

  void Regions(BytecodeReader& reader, int depth) {
    Require(depth <= kMaxDepth, "regions are nested too deep");
    const uint64_t head = reader.Varint();
    const uint64_t count = Bounded(reader, head >> 1);
    if (!(head & 1) || version_ < kLazyLoading) {
      for (uint64_t i = 0; i < count; ++i) Region(reader, depth);
      return;
    }
    // Regions that are isolated from above have a section of their own.
    const auto section = NextSection(reader, program_.size());
    Require(section.has_value(), "a region is cut off");
    BytecodeReader inner(section->data);
    for (uint64_t i = 0; i < count; ++i) Region(inner, depth);
    Require(inner.ok(), "a region is cut off");
  }

  void Region(BytecodeReader& reader, int depth) {
    const uint64_t blocks = Count(reader);
    if (blocks == 0) return;
    Count(reader);  // values, each of which has a type there
    for (uint64_t i = 0; i < blocks; ++i) Block(reader, depth);
  }

  const std::string_view program_;
  uint64_t version_ = 0;
  std::map<uint8_t, std::string_view> sections_;
  uint64_t strings_ = 0;
  uint64_t dialects_ = 0;
  uint64_t operations_ = 0;
  uint64_t attributes_ = 0;
  uint64_t types_ = 0;
  uint64_t properties_ = 0;
};

}  // namespace

void CheckBytecode(std::string_view program) {
  if (IsMlirBytecode(program)) Checker(program).Check();
}

}  // namespace iree_pjrt
