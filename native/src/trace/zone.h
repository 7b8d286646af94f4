// SPDX-License-Identifier: Apache-2.0
// A zone of IREE's tracing, which the flavour tracing sends to Tracy. In the
// others it is nothing at all. Ends on the thread that it begins on.
#ifndef IREE_PJRT_TRACE_ZONE_H_
#define IREE_PJRT_TRACE_ZONE_H_

#include <cstdint>
#include <string_view>

#include "iree/base/api.h"

namespace iree_pjrt {

#if IREE_TRACING_FEATURES & IREE_TRACING_FEATURE_INSTRUMENTATION

class Zone {
 public:
  static constexpr bool kSent = true;

  explicit Zone(std::string_view name) noexcept
      : id_(iree_tracing_zone_begin_external_impl(
            kFile.data(), kFile.size(), /*line=*/0, name.data(), name.size(),
            name.data(), name.size())) {}
  ~Zone() { iree_tracing_zone_end(id_); }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

  void AddText(std::string_view text) noexcept {
    ___tracy_emit_zone_text(iree_tracing_make_zone_ctx(id_), text.data(),
                            text.size());
  }
  void AddValue(uint64_t value) noexcept {
    ___tracy_emit_zone_value(iree_tracing_make_zone_ctx(id_), value);
  }
  void Rename(std::string_view name) noexcept {
    ___tracy_emit_zone_name(iree_tracing_make_zone_ctx(id_), name.data(),
                            name.size());
  }

 private:
  static constexpr std::string_view kFile = "iree-pjrt";

  const iree_zone_id_t id_;
};

#else

class Zone {
 public:
  static constexpr bool kSent = false;

  explicit constexpr Zone(std::string_view) noexcept {}
  // Not trivial, lest a zone in a scope look unused.
  ~Zone() {}
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

  void AddText(std::string_view) noexcept {}
  void AddValue(uint64_t) noexcept {}
  void Rename(std::string_view) noexcept {}
};

#endif  // IREE_TRACING_FEATURES

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TRACE_ZONE_H_
