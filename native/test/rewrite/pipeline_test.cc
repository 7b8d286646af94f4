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
  EXPECT_NE(PassTable().find("stablehlo\tWidenSums\t"), std::string::npos);
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
  EXPECT_NO_THROW(CheckPassNames({"WidenSums", "AlignLoops"}));
  EXPECT_THROW(CheckPassNames({"WidenSums", "AlignLoop"}), Error);
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

}  // namespace
}  // namespace iree_pjrt
