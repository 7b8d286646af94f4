// SPDX-License-Identifier: Apache-2.0
#include "rewrite/pipeline.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/status.h"
#include "parsed_module.h"

namespace iree_pjrt {
namespace {

TEST(PipelineTest, EveryPassHasANameOfItsOwnAndAReason) {
  std::set<std::string> names;
  for (const Pass& pass : Passes()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_FALSE(std::string(pass.why).empty()) << pass.name;
  }
}

TEST(PipelineTest, PhasesFollowEachOther) {
  Phase last = Phase::kReceived;
  for (const Pass& pass : Passes()) {
    EXPECT_GE(pass.phase, last) << pass.name;
    last = pass.phase;
  }
}

TEST(PipelineTest, TheTableHasALineForEach) {
  EXPECT_TRUE(Holds(PassTable(), "stablehlo\tWidenSums\tIREE rounds"));
  EXPECT_TRUE(Holds(PassTable(), "by another name\tfrom 3.13\t\n"));
  EXPECT_TRUE(Holds(PassTable(), "sorts are not stable\t\t\n"));
  EXPECT_TRUE(Holds(PassTable(),
                    "loses where memory begins that is taken "
                    "apart\tfrom 3.13\tCPUs\n"));
  EXPECT_TRUE(Holds(PassTable(), "knows none for others\t\tGPUs\n"));
  size_t lines = 0;
  for (const char c : PassTable()) lines += c == '\n';
  EXPECT_EQ(lines, Passes().size());
}

constexpr char kProduct[] = R"(module {
  func.func @main(%a: tensor<4x8xbf16>, %b: tensor<8x4xbf16>)
      -> tensor<4x4xbf16> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xbf16>
    return %0 : tensor<4x4xbf16>
  }
})";

TEST(PipelineTest, PassesThatAreNamedAreLeftOut) {
  const auto after = [](const std::vector<std::string>& skipped) {
    PassContext context;
    context.skipped = skipped;
    return After(kProduct, [&](const Ir& ir) {
      RunPasses(Phase::kStablehlo, ir, context);
    });
  };
  EXPECT_TRUE(Holds(after({}), "f32"));
  EXPECT_FALSE(Holds(after({"WidenSums"}), "f32"));
}

TEST(PipelineTest, NamesOfPassesAreChecked) {
  EXPECT_NO_THROW(CheckPassNames("V", {"WidenSums", "AlignLoops"}));
  try {
    CheckPassNames("IREE_PJRT_SKIP_PASSES", {"WidenSums", "AlignLoop"});
    FAIL() << "there is no AlignLoop";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), PJRT_Error_Code_INVALID_ARGUMENT);
    EXPECT_EQ(error.message(),
              "IREE_PJRT_SKIP_PASSES: there is no pass 'AlignLoop'; "
              "`npx pipeline plugin-info --passes` lists them");
  }
}

TEST(PipelineTest, PassesRunOnReleasesThatNeedThem) {
  const auto on = [](ReleaseLine line) {
    PassContext context;
    context.line = line;
    return After(R"(module {
      util.func public @main(%a: !stream.resource<transient>, %n: index)
          -> !stream.timepoint {
        %0 = stream.resource.dealloca %a
            : !stream.resource<transient>{%n} => !stream.timepoint
        util.return %0 : !stream.timepoint
      }
    })",
                 [&](const Ir& ir) { RunPasses(Phase::kStream, ir, context); });
  };
  EXPECT_TRUE(Holds(on({3, 11}), "dealloca"));
  EXPECT_FALSE(Holds(on({3, 13}), "dealloca"));
  EXPECT_FALSE(Holds(on({4, 0}), "dealloca"));
}

TEST(PipelineTest, ModulesAreSavedBeforeAndAfterPassesThatAreNamed) {
  std::map<std::string, std::string> saved;
  PassContext context;
  context.saved = {"WidenSums", "KeepInputs"};
  context.save = [&](const std::string& name, std::string_view text) {
    saved[name] = text;
  };
  WithModule(kProduct,
             [&](const Ir& ir) { RunPasses(Phase::kStablehlo, ir, context); });
  ASSERT_EQ(saved.size(), 2U);
  EXPECT_FALSE(Holds(saved["00-WidenSums.before.mlir"], "f32"));
  EXPECT_TRUE(Holds(saved["00-WidenSums.after.mlir"], "f32"));
  EXPECT_TRUE(
      Holds(saved["00-WidenSums.after.mlir"], "// WidenSums (stablehlo): "));
}

TEST(PipelineTest, OnlyPassesThatChangeTheModuleAreSaved) {
  std::map<std::string, std::string> saved;
  PassContext context;
  context.saved = {kChangingPasses};
  context.save = [&](const std::string& name, std::string_view text) {
    saved[name] = text;
  };
  WithModule(kProduct,
             [&](const Ir& ir) { RunPasses(Phase::kStablehlo, ir, context); });
  EXPECT_TRUE(saved.contains("00-WidenSums.before.mlir"));
  EXPECT_TRUE(Holds(saved["00-WidenSums.after.mlir"], "f32"));
  EXPECT_EQ(saved.size(), 2U);
}

}  // namespace
}  // namespace iree_pjrt
