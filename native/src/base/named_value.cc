// SPDX-License-Identifier: Apache-2.0
#include "base/named_value.h"

#include <charconv>
#include <optional>

namespace iree_pjrt {
namespace {

int64_t WithinBounds(const std::string& name, std::string_view text,
                     std::optional<int64_t> number, int64_t least,
                     int64_t most) {
  if (number && *number >= least && *number <= most) return *number;
  std::string bounds = ", from " + std::to_string(least);
  if (most != kNoLimit) bounds += " to " + std::to_string(most);
  ThrowInvalidArgument(name + " is '" + std::string(text) +
                       "'; it must be a number" + bounds);
}

}  // namespace

int64_t ParseNumber(const std::string& name, std::string_view text,
                    int64_t least, int64_t most) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == end;
  return WithinBounds(name, text,
                      whole ? std::optional<int64_t>(number) : std::nullopt,
                      least, most);
}

int64_t NumberValue(const std::string& name, const PJRT_NamedValue& value,
                    int64_t least, int64_t most) {
  const std::string said = "client option '" + name + "'";
  if (value.type == PJRT_NamedValue_kString) {
    return ParseNumber(said, StringValue(name, value), least, most);
  }
  const int64_t number = IntValue(name, value);
  return WithinBounds(said, std::to_string(number), number, least, most);
}

uint64_t ParseByteCount(const std::string& variable, std::string_view text) {
  uint64_t count = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, count);
  const std::string_view unit(parsed.ptr, end - parsed.ptr);
  const int shift = unit.empty()  ? 0
                    : unit == "K" ? 10
                    : unit == "M" ? 20
                    : unit == "G" ? 30
                                  : -1;
  if (parsed.ec != std::errc() || shift < 0 || count >> (63 - shift) != 0) {
    ThrowInvalidArgument(variable + " is '" + std::string(text) +
                         "'; it must be a number of bytes, as 500M or 2G; 0 "
                         "keeps nothing");
  }
  return count << shift;
}

}  // namespace iree_pjrt
