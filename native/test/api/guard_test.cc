// SPDX-License-Identifier: Apache-2.0
#include "api/guard.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt {
namespace {

using Args = PJRT_Buffer_CopyRawToHost_Args;

void Fill(Args& args) {
  args.offset += 1;
  args.event = reinterpret_cast<PJRT_Event*>(0x10);
}
void ThrowStatus(Args&) {
  Check(iree_make_status(IREE_STATUS_OUT_OF_RANGE, "way off"), "reading");
}
void ThrowStandard(Args&) { throw std::runtime_error("plain"); }
void ThrowOther(Args&) { throw 7; }

template <auto kFunction>
PJRT_Error* Call(Args* args) {
  return Guarded<PJRT_Buffer_CopyRawToHost, kFunction,
                 [] { return "PJRT_Test"; }>::Call(args);
}

Args NewArgs() {
  Args args{};
  args.struct_size = sizeof(Args);
  return args;
}

void ExpectError(PJRT_Error* error, PJRT_Error_Code code, const char* part) {
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->error.code(), code);
  EXPECT_NE(error->error.message().find(part), std::string::npos)
      << error->error.message();
  PJRT_Error_Destroy_Args args{};
  args.error = error;
  ErrorDestroy(args);
}

TEST(GuardTest, WritesBack) {
  Args args = NewArgs();
  args.offset = 4;
  EXPECT_EQ(Call<&Fill>(&args), nullptr);
  EXPECT_EQ(args.offset, 5);
  EXPECT_NE(args.event, nullptr);
}

TEST(GuardTest, OlderCallerKeepsWhatItDoesNotKnow) {
  Args args = NewArgs();
  args.struct_size = offsetof(Args, event);
  args.event = reinterpret_cast<PJRT_Event*>(0x55);
  EXPECT_EQ(Call<&Fill>(&args), nullptr);
  EXPECT_EQ(args.event, reinterpret_cast<PJRT_Event*>(0x55));
  EXPECT_EQ(args.struct_size, offsetof(Args, event));
}

TEST(GuardTest, NewerCallerIsServed) {
  struct Newer {
    Args args;
    int64_t more = 77;
  } newer{NewArgs()};
  newer.args.struct_size = sizeof(Newer);
  EXPECT_EQ(Call<&Fill>(&newer.args), nullptr);
  EXPECT_EQ(newer.more, 77);
  EXPECT_EQ(newer.args.struct_size, sizeof(Newer));
}

TEST(GuardTest, ExceptionsBecomeErrors) {
  Args args = NewArgs();
  ExpectError(Call<&ThrowStatus>(&args), PJRT_Error_Code_OUT_OF_RANGE,
              "way off");
  ExpectError(Call<&ThrowStandard>(&args), PJRT_Error_Code_INTERNAL, "plain");
  ExpectError(Call<&ThrowOther>(&args), PJRT_Error_Code_INTERNAL, "unknown");
  ExpectError(Call<&Fill>(nullptr), PJRT_Error_Code_INVALID_ARGUMENT,
              "PJRT_Test");
}

}  // namespace
}  // namespace iree_pjrt
