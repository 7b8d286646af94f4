// SPDX-License-Identifier: Apache-2.0
#include "program/options.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

#include "base/status.h"

namespace iree_pjrt {
namespace {

GetEnv Env(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

PJRT_NamedValue Text(const char* name, const char* text) {
  PJRT_NamedValue value{};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name;
  value.name_size = std::strlen(name);
  value.type = PJRT_NamedValue_kString;
  value.string_value = text;
  value.value_size = std::strlen(text);
  return value;
}

TEST(OptionsTest, OptionWinsOverEnvironment) {
  const PJRT_NamedValue value = Text("compiler_library_path", "/a");
  const auto env = Env({{"IREE_PJRT_COMPILER_LIB_PATH", "/b"}});
  EXPECT_EQ(ParseClientOptions(&value, 1, env).compiler_library_path, "/a");
  EXPECT_EQ(ParseClientOptions(nullptr, 0, env).compiler_library_path, "/b");
}

TEST(OptionsTest, UnknownKeyNamesWhatIsAllowed) {
  const PJRT_NamedValue value = Text("compiler_libary_path", "/a");
  try {
    ParseClientOptions(&value, 1, Env({}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), PJRT_Error_Code_INVALID_ARGUMENT);
    EXPECT_NE(error.message().find("compiler_libary_path"), std::string::npos);
    EXPECT_NE(error.message().find("'compiler_library_path'"),
              std::string::npos);
    EXPECT_NE(error.message().find("'framework_passes'"), std::string::npos);
  }
}

TEST(OptionsTest, FrameworkPassesIdentityIsText) {
  const PJRT_NamedValue value = Text("framework_passes_identity", "0.1.0+a");
  EXPECT_EQ(ParseClientOptions(&value, 1, Env({})).framework_passes_identity,
            "0.1.0+a");
}

TEST(OptionsTest, WrongTypeIsRefused) {
  const PJRT_NamedValue value = Text("framework_passes", "12");
  EXPECT_THROW(ParseClientOptions(&value, 1, Env({})), Error);
  EXPECT_THROW(ParseClientOptions(nullptr, 1, Env({})), Error);
}

TEST(OptionsTest, PassesAreSavedIntoAFolder) {
  const auto saved = [](const std::map<std::string, std::string>& values) {
    return ParseClientOptions(nullptr, 0, Env(values)).saved_passes;
  };
  EXPECT_EQ(saved({{"IREE_PJRT_SAVE_PASSES", "WidenSums all"},
                   {"IREE_PJRT_SAVE_ARTIFACTS", "/folder"}}),
            (std::vector<std::string>{"WidenSums", "all"}));
  EXPECT_TRUE(saved({{"IREE_PJRT_SAVE_PASSES", ""}}).empty());
  try {
    saved({{"IREE_PJRT_SAVE_PASSES", "all"}});
    FAIL() << "there is no folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), PJRT_Error_Code_INVALID_ARGUMENT);
    EXPECT_NE(error.message().find("set IREE_PJRT_SAVE_ARTIFACTS"),
              std::string::npos);
  }
}

TEST(OptionsTest, CacheIsWhereXdgSays) {
  const auto dir = [](const std::map<std::string, std::string>& values) {
    return ParseClientOptions(nullptr, 0, Env(values)).cache_dir;
  };
  EXPECT_EQ(dir({{"HOME", "/h"}}), "/h/.cache/iree-pjrt");
  EXPECT_EQ(dir({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}), "/x/iree-pjrt");
  EXPECT_EQ(dir({{"HOME", "/h"}, {"XDG_CACHE_HOME", "relative"}}),
            "/h/.cache/iree-pjrt");
  EXPECT_EQ(dir({{"HOME", "/h"}, {"IREE_PJRT_CACHE_DIR", "/c"}}), "/c");
  EXPECT_EQ(dir({}), "");
  const PJRT_NamedValue value = Text("cache_dir", "/option");
  EXPECT_EQ(ParseClientOptions(&value, 1, Env({{"IREE_PJRT_CACHE_DIR", "/c"}}))
                .cache_dir,
            "/option");
}

TEST(OptionsTest, CacheSizeHasUnits) {
  const auto bytes = [](const char* text) {
    return ParseClientOptions(nullptr, 0, Env({{"IREE_PJRT_CACHE_SIZE", text}}))
        .cache_bytes;
  };
  EXPECT_EQ(bytes("0"), 0u);
  EXPECT_EQ(bytes("4096"), 4096u);
  EXPECT_EQ(bytes("3M"), uint64_t{3} << 20);
  EXPECT_EQ(bytes("2G"), uint64_t{2} << 30);
  EXPECT_EQ(bytes(""), uint64_t{1} << 30);
  for (const char* wrong : {"G", "1T", "-1", "1.5G", "99999999999G"}) {
    EXPECT_THROW(bytes(wrong), Error) << wrong;
  }
}

TEST(OptionsTest, LogLevelIsChecked) {
  EXPECT_EQ(
      ParseClientOptions(nullptr, 0, Env({{"IREE_PJRT_LOG_LEVEL", "debug"}}))
          .log_level,
      LogLevel::kDebug);
  EXPECT_THROW(
      ParseClientOptions(nullptr, 0, Env({{"IREE_PJRT_LOG_LEVEL", "loud"}})),
      Error);
}

TEST(OptionsTest, WorkersAreCounted) {
  const auto with = [](const char* text) {
    return ParseClientOptions(nullptr, 0,
                              Env({{"IREE_PJRT_NUM_THREADS", text}}))
        .thread_count;
  };
  EXPECT_EQ(with("3"), 3u);
  EXPECT_EQ(with(""), 0u);
  for (const char* wrong : {"0", "-1", "two", "2x", "99999999999999999999"}) {
    EXPECT_THROW(with(wrong), Error) << wrong;
  }
}

TEST(OptionsTest, DevicesAreCounted) {
  const auto variable = [](const char* text) {
    return DeviceCount(
        ParseClientOptions(nullptr, 0, Env({{"IREE_PJRT_NUM_DEVICES", text}}))
            .device);
  };
  const auto option = [](const PJRT_NamedValue& value) {
    const auto env = Env({{"IREE_PJRT_NUM_DEVICES", "3"}});
    return DeviceCount(ParseClientOptions(&value, 1, env).device);
  };
  EXPECT_EQ(variable(""), 1u);
  EXPECT_EQ(variable("64"), 64u);
  EXPECT_EQ(option(Text("num_devices", "4")), 4u);
  PJRT_NamedValue number = Text("num_devices", "");
  number.type = PJRT_NamedValue_kInt64;
  number.int64_value = 5;
  EXPECT_EQ(option(number), 5u);
  number.int64_value = 0;
  EXPECT_THROW(option(number), Error);
  number.type = PJRT_NamedValue_kBool;
  EXPECT_THROW(option(number), Error);
  for (const char* wrong : {"0", "65", "-1", "x", "4x", " 4", "4294967297"}) {
    EXPECT_THROW(variable(wrong), Error) << wrong;
    EXPECT_THROW(option(Text("num_devices", wrong)), Error) << wrong;
  }
}

TEST(OptionsTest, FlagsAreSplitLikeAShellDoes) {
  EXPECT_EQ(SplitFlags("  --a=1 '--b=x y'\t--c=\"q \\\" z\" "),
            (std::vector<std::string>{"--a=1", "--b=x y", "--c=q \" z"}));
  EXPECT_TRUE(SplitFlags(" ").empty());
  EXPECT_THROW(SplitFlags("--a='x"), Error);
}

TEST(OptionsTest, WhereProgramsAreCompiled) {
  const auto at = [](const char* variable) {
    return ParseClientOptions(nullptr, 0,
                              Env({{"IREE_PJRT_COMPILE_IN_PROCESS", variable}}))
        .compiles_in_process;
  };
  EXPECT_EQ(at(""), Zone::kSent);
  EXPECT_TRUE(at("1"));
  EXPECT_FALSE(at("0"));
  EXPECT_THROW(at("yes"), Error);
}

TEST(OptionsTest, ATimeOutNeedsAProcessThatCanBeEnded) {
  const auto timeout = [](const char* text, const char* in_process) {
    return ParseClientOptions(
               nullptr, 0,
               Env({{"IREE_PJRT_COMPILE_TIMEOUT", text},
                    {"IREE_PJRT_COMPILE_IN_PROCESS", in_process}}))
        .compile_timeout_s;
  };
  EXPECT_EQ(timeout("", "0"), 0);
  EXPECT_EQ(timeout("7", "0"), 7);
  EXPECT_THROW(timeout("0", "0"), Error);
  EXPECT_THROW(timeout("7", "1"), Error);
}

}  // namespace
}  // namespace iree_pjrt
