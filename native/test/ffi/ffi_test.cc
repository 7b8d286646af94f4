// SPDX-License-Identifier: Apache-2.0
// Handlers of the FFI, called without a program around them.
#include <gtest/gtest.h>

#include <deque>
#include <latch>
#include <thread>

#include "cpu/crew.h"
#include "ffi/frame.h"
#include "ffi/registry.h"

namespace iree_pjrt {
namespace {

ForeignAttribute Text(std::string text) {
  ForeignAttribute attribute;
  attribute.kind = XLA_FFI_AttrType_STRING;
  attribute.bytes = std::move(text);
  return attribute;
}

ForeignTensor Matrix(std::vector<int64_t> dims, std::vector<int64_t> order) {
  return {MakeShape(PJRT_Buffer_Type_F32, dims.data(), dims.size()),
          std::move(order)};
}

ForeignCall Sample(std::string target) {
  ForeignCall call;
  call.target = std::move(target);
  call.operands = {Matrix({2, 3}, {1, 0})};
  call.results = {Matrix({2, 3}, {0, 1}), Matrix({0, 3}, {0, 1})};
  call.aliases = {0, -1};
  ForeignAttribute inner;
  inner.entries = {{"x", ForeignAttribute::OfInt32(7)}};
  call.attributes = {{"b", Text(std::string("t\0x", 3))},
                     {"a", ForeignAttribute::OfInt32(-3)},
                     {"c", inner}};
  return call;
}

// Registers under `name` and returns it.
std::string Registered(std::string name, XLA_FFI_Handler_Bundle stages) {
  HandlerRegistry::Get().Register(name, stages);
  return name;
}

XLA_FFI_Error* Fail(const XLA_FFI_CallFrame* frame, XLA_FFI_Error_Code code,
                    const char* message) {
  XLA_FFI_Error_Create_Args args{};
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.errc = code;
  args.message = message;
  return frame->api->XLA_FFI_Error_Create(&args);
}

// Answers the question for the version, which every handler is asked first;
// false for a real call.
template <int kMinor>
bool TellsVersion(XLA_FFI_CallFrame* frame) {
  if (!frame->extension_start) return false;
  auto* extension =
      reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  extension->metadata->api_version.major_version = 0;
  extension->metadata->api_version.minor_version = kMinor;
  return true;
}

TEST(ForeignCallTest, RoundTrip) {
  const ForeignCall call = ParseForeignCall(SerializeForeignCall(Sample("t")));
  EXPECT_EQ(call.target, "t");
  EXPECT_EQ(call.operands.at(0).PhysicalDims(), (std::vector<int64_t>{3, 2}));
  EXPECT_FALSE(call.operands.at(0).is_row_major());
  EXPECT_TRUE(call.results.at(0).is_row_major());
  EXPECT_EQ(call.results.at(1).shape.dims, (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(call.aliases, (std::vector<int64_t>{0, -1}));
  EXPECT_EQ(call.attributes.at("b").bytes, std::string("t\0x", 3));
  EXPECT_EQ(call.attributes.at("c").entries.at("x").bytes,
            ForeignAttribute::OfInt32(7).bytes);
}

TEST(ForeignCallTest, DamageIsRefused) {
  const auto parse = [](const ForeignCall& call) {
    return ParseForeignCall(SerializeForeignCall(call));
  };
  for (int64_t alias : {int64_t{-2}, int64_t{1}, int64_t{1} << 62}) {
    ForeignCall call = Sample("t");
    call.aliases[0] = alias;
    EXPECT_THROW(parse(call), Error) << alias;
  }
  ForeignCall call = Sample("t");
  call.aliases[1] = 0;  // of another size
  EXPECT_THROW(parse(call), Error);
  call = Sample("t");
  call.operands[0].major_to_minor = {0, 0};
  EXPECT_THROW(parse(call), Error);
  call = Sample("t");
  call.attributes["a"].bytes.pop_back();
  EXPECT_THROW(parse(call), Error);
  call = Sample("t");
  call.attributes["a"].kind = XLA_FFI_AttrType_ARRAY;
  call.attributes["a"].size = 1000;
  EXPECT_THROW(parse(call), Error);
}

TEST(ForeignCallTest, AttributesNestToADepth) {
  ForeignCall call = Sample("t");
  for (int depth = 0; depth < 1000; ++depth) {
    ForeignAttribute outer;
    outer.entries = {{"x", call.attributes.begin()->second}};
    call.attributes = {{"x", outer}};
  }
  EXPECT_THROW(ParseForeignCall(SerializeForeignCall(call)), Error);
}

TEST(ForeignCallTest, NamesSortAsNumbersDo) {
  EXPECT_LT(ForeignFunctionName(9), ForeignFunctionName(10));
  EXPECT_LT(ForeignFunctionName(99999), ForeignFunctionName(100000));
}

XLA_FFI_Error* CheckFrame(XLA_FFI_CallFrame* frame) {
  if (TellsVersion<3>(frame)) return nullptr;
  const auto& attrs = frame->attrs;
  EXPECT_EQ(attrs.size, 3);
  for (int64_t i = 0; i < attrs.size; ++i) {
    EXPECT_EQ(std::string(attrs.names[i]->ptr, attrs.names[i]->len),
              std::string(1, static_cast<char>('a' + i)));
  }
  const auto* scalar = static_cast<const XLA_FFI_Scalar*>(attrs.attrs[0]);
  EXPECT_EQ(*static_cast<const int32_t*>(scalar->value), -3);
  const auto* text = static_cast<const XLA_FFI_ByteSpan*>(attrs.attrs[1]);
  EXPECT_EQ(std::string(text->ptr, text->len), std::string("t\0x", 3));
  const auto* inner = static_cast<const XLA_FFI_Attrs*>(attrs.attrs[2]);
  EXPECT_EQ(inner->size, 1);
  const auto* in = static_cast<const XLA_FFI_Buffer*>(frame->args.args[0]);
  auto* out = static_cast<XLA_FFI_Buffer*>(frame->rets.rets[0]);
  EXPECT_EQ(in->rank, 2);
  EXPECT_EQ(in->dims[1], 3);
  EXPECT_EQ(in->dtype, XLA_FFI_DataType_F32);
  *static_cast<float*>(out->data) = 2 * *static_cast<const float*>(in->data);
  return nullptr;
}

TEST(BoundCallTest, HandlersSeeBuffersAndSortedAttributes) {
  const ForeignCall call =
      Sample(Registered("frame", {nullptr, nullptr, nullptr, &CheckFrame}));
  const BoundCall bound(call);
  float in = 21;
  float out = 0;
  bound.Run({&in}, {&out, nullptr});
  EXPECT_EQ(out, 42);
}

TEST(BoundCallTest, ErrorsKeepTheirCodeAndMessage) {
  const auto handler = [](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    if (TellsVersion<1>(frame)) return nullptr;
    return Fail(frame, XLA_FFI_Error_Code_DATA_LOSS, "it is gone");
  };
  const ForeignCall call =
      Sample(Registered("broken", {nullptr, nullptr, nullptr, +handler}));
  const BoundCall bound(call);
  try {
    bound.Run({nullptr}, {nullptr, nullptr});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), PJRT_Error_Code_DATA_LOSS);
    EXPECT_NE(error.message().find("it is gone"), std::string::npos);
    EXPECT_NE(error.message().find("broken"), std::string::npos);
  }
}

TEST(BoundCallTest, WithoutAHandlerItSaysWhatToDo) {
  const ForeignCall call = Sample("nobody");
  try {
    const BoundCall bound(call);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), PJRT_Error_Code_NOT_FOUND);
    EXPECT_NE(error.message().find("register_ffi_target"), std::string::npos);
  }
}

int deleted = 0;
XLA_FFI_TypeId state_type{0};

void RegisterStateType(XLA_FFI_TypeInfo* info) {
  XLA_FFI_Type_Register_Args args{};
  args.struct_size = XLA_FFI_Type_Register_Args_STRUCT_SIZE;
  args.name = {"state", 5};
  args.type_id = &state_type;
  args.type_info = info;
  ThrowIfFailed(GetFfiApi()->base.XLA_FFI_Type_Register(&args), "type");
}

// Keeps and finds its state as a handler of FFI 0.3 does.
XLA_FFI_Error* MakeStagedState(XLA_FFI_CallFrame* frame) {
  static int value = 5;
  FfiStateSetOfStage set{};
  set.struct_size = sizeof(set);
  set.ctx = frame->ctx;
  set.stage = frame->stage;
  set.type_id = &state_type;
  set.state = &value;
  return frame->api->XLA_FFI_State_Set(
      reinterpret_cast<XLA_FFI_State_Set_Args*>(&set));
}

XLA_FFI_Error* UseStagedStates(XLA_FFI_CallFrame* frame) {
  if (TellsVersion<3>(frame)) return nullptr;
  for (const auto stage :
       {XLA_FFI_ExecutionStage_INSTANTIATE, XLA_FFI_ExecutionStage_PREPARE,
        XLA_FFI_ExecutionStage_INITIALIZE}) {
    FfiStateGetOfStage get{};
    get.struct_size = sizeof(get);
    get.ctx = frame->ctx;
    get.stage = stage;
    get.type_id = &state_type;
    if (XLA_FFI_Error* error = frame->api->XLA_FFI_State_Get(
            reinterpret_cast<XLA_FFI_State_Get_Args*>(&get))) {
      return error;
    }
    EXPECT_EQ(*static_cast<int*>(get.state), 5);
  }
  return nullptr;
}

TEST(BoundCallTest, StatesLiveAsLongAsTheirStage) {
  static XLA_FFI_TypeInfo info{XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr,
                               [](void*) { ++deleted; }};
  RegisterStateType(&info);
  const ForeignCall call =
      Sample(Registered("staged", {&MakeStagedState, &MakeStagedState,
                                   &MakeStagedState, &UseStagedStates}));
  deleted = 0;
  {
    const BoundCall bound(call);
    bound.Run({nullptr}, {nullptr, nullptr});
    EXPECT_EQ(deleted, 2);
    bound.Run({nullptr}, {nullptr, nullptr});
    EXPECT_EQ(deleted, 4);
  }
  EXPECT_EQ(deleted, 5);
}

// A handler of FFI 0.1 has one state, with its deleter.
TEST(BoundCallTest, StatesOfTheFirstVersionBringTheirDeleter) {
  const auto make = [](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    static int value = 6;
    FfiStateSetWithDeleter set{};
    set.struct_size = sizeof(set);
    set.ctx = frame->ctx;
    set.type_id = &state_type;
    set.state = &value;
    set.deleter = [](void*) { deleted += 10; };
    return frame->api->XLA_FFI_State_Set(
        reinterpret_cast<XLA_FFI_State_Set_Args*>(&set));
  };
  const auto use = [](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    if (TellsVersion<1>(frame)) return nullptr;
    XLA_FFI_State_Get_Args get{};
    get.struct_size = XLA_FFI_State_Get_Args_STRUCT_SIZE;
    get.ctx = frame->ctx;
    get.type_id = &state_type;
    XLA_FFI_Error* error = frame->api->XLA_FFI_State_Get(&get);
    if (!error) EXPECT_EQ(*static_cast<int*>(get.state), 6);
    return error;
  };
  RegisterStateType(nullptr);
  const ForeignCall call =
      Sample(Registered("first", {+make, nullptr, nullptr, +use}));
  deleted = 0;
  {
    const BoundCall bound(call);
    bound.Run({nullptr}, {nullptr, nullptr});
    EXPECT_EQ(deleted, 0);
  }
  EXPECT_EQ(deleted, 10);
}

// Calls a handler that schedules tasks and returns when all are done.
template <size_t kTasksPerThread>
void RunTasks(size_t threads, XLA_FFI_Task* task) {
  static size_t tasks;
  static XLA_FFI_Task* scheduled;
  // The last to arrive may still be in one when the call is over.
  static std::deque<std::latch> latches;
  tasks = kTasksPerThread * threads;
  scheduled = task;
  latches.emplace_back(static_cast<std::ptrdiff_t>(tasks));
  Crew::Get().set_threads(threads);
  const auto handler = [](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    if (TellsVersion<1>(frame)) return nullptr;
    int64_t threads = 0;
    XLA_FFI_ThreadPool_NumThreads_Args count{};
    count.struct_size = XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE;
    count.ctx = frame->ctx;
    count.num_threads = &threads;
    frame->api->XLA_FFI_ThreadPool_NumThreads(&count);
    EXPECT_EQ(static_cast<size_t>(threads) * kTasksPerThread, tasks);
    for (size_t i = 0; i < tasks; ++i) {
      XLA_FFI_ThreadPool_Schedule_Args schedule{};
      schedule.struct_size = XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE;
      schedule.ctx = frame->ctx;
      schedule.task = scheduled;
      schedule.data = &latches.back();
      if (auto* e = frame->api->XLA_FFI_ThreadPool_Schedule(&schedule))
        return e;
    }
    latches.back().wait();
    return nullptr;
  };
  const ForeignCall call =
      Sample(Registered("tasks" + std::to_string(kTasksPerThread),
                        {nullptr, nullptr, nullptr, +handler}));
  const BoundCall bound(call);
  bound.Run({nullptr}, {nullptr, nullptr});
  Crew::Get().set_threads(1);
}

TEST(BoundCallTest, AsManyTasksAsThereAreThreadsRunAtOnce) {
  for (const size_t threads : {1, 2, 5, 3}) {
    RunTasks<1>(threads, [](void* all) {
      static_cast<std::latch*>(all)->arrive_and_wait();
    });
  }
}

TEST(BoundCallTest, MoreTasksTakeTurns) {
  for (const size_t threads : {1, 2, 4}) {
    RunTasks<50>(threads, [](void* all) {
      static_cast<std::latch*>(all)->count_down();
    });
  }
}

TEST(BoundCallTest, FuturesAreAwaited) {
  static std::thread worker;
  const auto handler = [](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    if (TellsVersion<1>(frame)) return nullptr;
    XLA_FFI_Future_Create_Args create{};
    create.struct_size = XLA_FFI_Future_Create_Args_STRUCT_SIZE;
    if (auto* error = frame->api->XLA_FFI_Future_Create(&create)) return error;
    frame->future = create.future;
    XLA_FFI_Error* failure = Fail(frame, XLA_FFI_Error_Code_ABORTED, "late");
    worker = std::thread([api = frame->api, future = create.future, failure] {
      XLA_FFI_Future_SetError_Args set{};
      set.struct_size = XLA_FFI_Future_SetError_Args_STRUCT_SIZE;
      set.future = future;
      set.error = failure;
      api->XLA_FFI_Future_SetError(&set);
    });
    return nullptr;
  };
  const ForeignCall call =
      Sample(Registered("future", {nullptr, nullptr, nullptr, +handler}));
  const BoundCall bound(call);
  EXPECT_THROW(bound.Run({nullptr}, {nullptr, nullptr}), Error);
  worker.join();
}

TEST(HandlerRegistryTest, RefusesAnotherHandlerAndAMissingStage) {
  auto& registry = HandlerRegistry::Get();
  const XLA_FFI_Handler_Bundle stages{nullptr, nullptr, nullptr, &CheckFrame};
  registry.Register("twice", stages);
  registry.Register("twice", stages);
  EXPECT_THROW(
      registry.Register("twice", {&CheckFrame, nullptr, nullptr, &CheckFrame}),
      Error);
  EXPECT_THROW(registry.Register("empty", {}), Error);
}

TEST(HandlerRegistryTest, TypesKeepTheirNumber) {
  auto& registry = HandlerRegistry::Get();
  const int64_t id = registry.RegisterType("kept", 0, nullptr);
  EXPECT_GT(id, 0);
  EXPECT_EQ(registry.RegisterType("kept", 0, nullptr), id);
  EXPECT_EQ(registry.RegisterType("kept", id, nullptr), id);
  EXPECT_THROW(registry.RegisterType("kept", id + 1, nullptr), Error);
  EXPECT_THROW(registry.RegisterType("never seen", 77, nullptr), Error);
}

}  // namespace
}  // namespace iree_pjrt
