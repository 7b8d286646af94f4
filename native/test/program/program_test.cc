// SPDX-License-Identifier: Apache-2.0
#include "program/program.h"

#include <gtest/gtest.h>

#include "base/fingerprint.h"
#include "base/status.h"
#include "runtime/target.h"

namespace iree_pjrt {
namespace {

Program Sample() {
  Program program;
  program.name = "n";
  program.fingerprint = "f";
  program.source = "module {}";
  program.vmfb = std::string("\0vm\xff", 4);
  const int64_t dims[] = {2, 0};
  program.inputs = {MakeShape(PJRT_Buffer_Type_BF16, dims, 2)};
  program.outputs = {MakeShape(PJRT_Buffer_Type_U8, dims, 1)};
  program.output_memories = {1};
  program.donatable = {true};
  program.cost_analysis = {1e12, 7, 128};
  program.cost = {.microseconds = 12.5, .bounded = false};
  return program;
}

TEST(ProgramTest, RoundTrip) {
  const auto read = DeserializeProgram(SerializeProgram(Sample()), nullptr);
  EXPECT_EQ(read->vmfb, Sample().vmfb);
  EXPECT_EQ(read->inputs.at(0).dims, Sample().inputs[0].dims);
  EXPECT_EQ(read->outputs.at(0).type->pjrt, PJRT_Buffer_Type_U8);
  EXPECT_TRUE(read->donatable.at(0));
  EXPECT_EQ(read->output_memories.at(0), 1u);
  EXPECT_EQ(read->cost_analysis.flops, 1e12);
  EXPECT_EQ(read->cost_analysis.transcendentals, 7);
  EXPECT_EQ(read->cost_analysis.bytes_accessed, 128);
  EXPECT_DOUBLE_EQ(read->cost.microseconds, 12.5);
  EXPECT_FALSE(read->cost.bounded);
}

// A program over two devices that share its one input; each has its own first
// output, and both have the second.
Program Sharded() {
  Program program = Sample();
  program.device_count = 2;
  program.outputs.push_back(program.outputs[0]);
  program.outputs.push_back(program.inputs[0]);
  program.output_memories = {1, 1, 0};
  program.argument_inputs = {0, 0};
  program.result_outputs = {0, 2, 1, 2};
  program.shown = "module @two {}";
  program.compile_options_proto = std::string("\x1a\x02\x20\x02", 4);
  return program;
}

TEST(ProgramTest, SeveralDevicesRoundTrip) {
  const std::string bytes = SerializeProgram(Sharded());
  const auto read = DeserializeProgram(bytes, nullptr);
  EXPECT_EQ(SerializeProgram(*read), bytes);
  EXPECT_EQ(read->shown, Sharded().shown);
  EXPECT_EQ(read->argument_count(), 1u);
  EXPECT_EQ(read->result_count(), 2u);
  EXPECT_EQ(read->input_of(1, 0), 0u);
  EXPECT_EQ(read->output_of(0, 0), 0u);
  EXPECT_EQ(read->output_of(1, 0), 1u);
  EXPECT_EQ(read->output_of(1, 1), 2u);
  EXPECT_TRUE(read->argument_donatable(0));
  EXPECT_EQ(read->argument_shape(0).dims, Sample().inputs[0].dims);
  EXPECT_EQ(read->result_shape(1).dims, Sample().inputs[0].dims);
  EXPECT_EQ(read->result_memory(0), 1u);
  EXPECT_EQ(read->result_memory(1), 0u);
}

TEST(ProgramTest, OfAnotherNumberOfDevicesIsRefused) {
  const std::string_view one_device = "";
  EXPECT_THROW(DeserializeProgram(SerializeProgram(Sharded()), &one_device),
               Error);
  Program program = Sharded();
  program.result_outputs[3] = 3;
  EXPECT_THROW(DeserializeProgram(SerializeProgram(program), nullptr), Error);
}

TEST(ProgramTest, IsForOneKindOfProcessor) {
  Program program = Sample();
  program.cpu = Processor();
  EXPECT_EQ(DeserializeProgram(SerializeProgram(program), nullptr)->cpu,
            Processor());
  program.cpu += "more";
  try {
    DeserializeProgram(SerializeProgram(program), nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), PJRT_Error_Code_FAILED_PRECONDITION);
  }
}

TEST(ProgramTest, DamageIsRefused) {
  const std::string whole = SerializeProgram(Sample());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(DeserializeProgram(whole.substr(0, size), nullptr), Error)
        << size;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] ^= 1;
    EXPECT_THROW(DeserializeProgram(flipped, nullptr), Error) << at;
  }
}

TEST(ProgramTest, FingerprintsDependOnPartsAndBorders) {
  EXPECT_EQ(Fingerprint({"a", "b"}), Fingerprint({"a", "b"}));
  EXPECT_NE(Fingerprint({"a", "b"}), Fingerprint({"ab", ""}));
  EXPECT_EQ(Fingerprint({}).size(), 32u);
}

}  // namespace
}  // namespace iree_pjrt
