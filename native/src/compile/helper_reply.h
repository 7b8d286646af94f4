// SPDX-License-Identifier: Apache-2.0
// What a helper process answers: a result, or the error that compiling threw.
#ifndef IREE_PJRT_COMPILE_HELPER_REPLY_H_
#define IREE_PJRT_COMPILE_HELPER_REPLY_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "compile/compile_task.h"

namespace iree_pjrt {

std::string SerializeReply(const CompileResult& result);
std::string SerializeReply(const Error& error);

// Throws the error, if it is one. `options_proto`: of the task.
CompileResult ParseReply(std::string_view bytes,
                         std::string_view options_proto);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_HELPER_REPLY_H_
