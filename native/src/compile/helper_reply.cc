// SPDX-License-Identifier: Apache-2.0
#include "compile/helper_reply.h"

#include "base/wire.h"

namespace iree_pjrt {
namespace {

namespace reply_field {
constexpr uint64_t kResult = 1;
constexpr uint64_t kCode = 2;
constexpr uint64_t kMessage = 3;
}  // namespace reply_field

}  // namespace

std::string SerializeReply(const CompileResult& result) {
  WireWriter writer;
  writer.Bytes(reply_field::kResult, SerializeResult(result));
  return writer.Take();
}

std::string SerializeReply(const Error& error) {
  WireWriter writer;
  writer.Number(reply_field::kCode, error.code());
  writer.Bytes(reply_field::kMessage, error.message());
  return writer.Take();
}

CompileResult ParseReply(std::string_view bytes,
                         std::string_view options_proto) {
  PJRT_Error_Code code = PJRT_Error_Code_INTERNAL;
  std::string message;
  for (WireReader r(bytes); r.Next();) {
    switch (r.field()) {
      case reply_field::kResult:
        return ParseResult(r.bytes(), options_proto);
      case reply_field::kCode:
        code = static_cast<PJRT_Error_Code>(r.number());
        break;
      case reply_field::kMessage:
        message = r.bytes();
        break;
      default:
        break;
    }
  }
  throw Error(code, message);
}

}  // namespace iree_pjrt
