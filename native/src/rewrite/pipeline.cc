// SPDX-License-Identifier: Apache-2.0
#include "rewrite/pipeline.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/status.h"
#include "device_options.h"
#include "rewrite/dispatch/passes.h"
#include "rewrite/flow/passes.h"
#include "rewrite/late/passes.h"
#include "rewrite/linalg/passes.h"
#include "rewrite/loops/passes.h"
#include "rewrite/sources/passes.h"
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stream/passes.h"
#include "trace/trace.h"

namespace iree_pjrt {
namespace {

// Runs a pass that needs nothing but the module.
template <void (*kPass)(const Ir&)>
void Only(const Ir& ir, PassContext&) {
  kPass(ir);
}

// Runs a pass for programs on one device; programs over several devices keep
// what it removes.
template <void (*kPass)(const Ir&)>
void OnOneDevice(const Ir& ir, PassContext& context) {
  if (context.device_count == 1) kPass(ir);
}

void ForeignCalls(const Ir& ir, PassContext& context) {
  RewriteForeignCalls(ir, context.foreign_calls);
}

void Operands(const Ir& ir, PassContext& context) {
  LimitDispatchOperands(
      ir, context.for_gpus ? kMostArraysOnGpus : kMostArraysOnCpus);
}

void Inputs(const Ir& ir, PassContext& context) {
  KeepInputs(ir, context.donatable);
}

void Scatters(const Ir& ir, PassContext& context) {
  KeepScattersInBounds(ir, !context.for_gpus);
}

void ComplexReductions(const Ir& ir, PassContext& context) {
  SplitComplexReductions(ir, !context.for_gpus);
}

void TakenSources(const Ir& ir, PassContext& context) {
  if (context.packs) GuardTakenSources(ir);
}

void LongProducts(const Ir& ir, PassContext& context) {
  SumLongProducts(ir, !context.for_gpus);
}

void Tiles(const Ir& ir, PassContext& context) {
  if (context.has_tiles) MultiplyTiles(ir);
}

void Factors(const Ir& ir, PassContext& context) {
  WidenFactors(ir, context.has_bfloat16_kernels);
}

void Loops(const Ir& ir, PassContext& context) {
  DispatchLoops(ir, context.fuse_loop);
}

void Deallocations(const Ir& ir, PassContext&) {
  if (!kFreesInStreamOrder) DropDeallocations(ir);
}

void Object(const Ir& ir, PassContext& context) {
  if (context.object) EmbedObject(ir, context.object);
}

#define IREE_PJRT_PASS(phase, name, why) \
  {Phase::phase, #name, &Only<&name>, why}
// On the lines up to 3.11; newer ones do it right.
#define IREE_PJRT_OLD_PASS(phase, name, why)                     \
  {                                                              \
    Phase::phase, #name, &Only<&name>, why, { .until = {3, 11} } \
  }
#define IREE_PJRT_CPU_PASS(phase, name, why) \
  {Phase::phase, #name, &Only<&name>, why, {}, Targets::kCpus}
#define IREE_PJRT_GPU_PASS(phase, name, why) \
  {Phase::phase, #name, &Only<&name>, why, {}, Targets::kGpus}

constexpr Pass kPasses[] = {
    IREE_PJRT_PASS(kReceived, CheckFunctions,
                   "looking at a damaged function ends the process"),
    IREE_PJRT_PASS(kReceived, RewriteTokens, "IREE has no tokens"),

    IREE_PJRT_OLD_PASS(kStablehlo, RewriteComposites,
                       "IREE refuses composites"),
    IREE_PJRT_PASS(kStablehlo, ExpandSelectAndScatter,
                   "IREE refuses gradients of max pooling"),
    IREE_PJRT_PASS(kStablehlo, CutUnusedEnds,
                   "IREE goes beyond the only window that there is"),
    IREE_PJRT_PASS(kStablehlo, ReshapeUnitReductions,
                   "IREE reduces along dimensions of one element"),
    IREE_PJRT_PASS(kStablehlo, SpreadPredicates,
                   "the host waits for each boolean that selects an array"),
    IREE_PJRT_CPU_PASS(
        kStablehlo, LocateExtremes,
        "IREE compares pairs of elements and indices one by one"),
    IREE_PJRT_PASS(kStablehlo, RepeatWindowedElements,
                   "IREE writes and adds up the zeros between elements that "
                   "windows see one by one"),
    IREE_PJRT_PASS(kStablehlo, ExpandWindows,
                   "IREE makes scalar code of windows over several arrays"),
    IREE_PJRT_PASS(kStablehlo, FlattenGathers,
                   "IREE reads indices of several components one by one"),
    IREE_PJRT_PASS(kStablehlo, ClampGathers, "IREE reads outside of arrays"),
    IREE_PJRT_PASS(kStablehlo, ExpandBatchedScatters,
                   "IREE crashes on batching dimensions of a scatter"),
    IREE_PJRT_PASS(kStablehlo, UpdateOneWindow,
                   "IREE transposes an array to write one of its columns"),
    IREE_PJRT_PASS(kStablehlo, IndexInsertedDimensions,
                   "IREE refuses scatters without an index"),
    IREE_PJRT_PASS(kStablehlo, FlattenScatters,
                   "IREE copies each component of an index to its place"),
    {Phase::kStablehlo, "KeepScattersInBounds", &Scatters,
     "IREE writes outside of arrays"},
    IREE_PJRT_PASS(kStablehlo, SpreadIndexedWindows,
                   "IREE writes the last element of a window only"),
    IREE_PJRT_PASS(kStablehlo, PutIndexedDimensionsFirst,
                   "IREE crashes where windows do not come last"),
    IREE_PJRT_PASS(kStablehlo, WidenSmallIntegers,
                   "IREE has no arrays of integers of less than a byte"),
    IREE_PJRT_PASS(kStablehlo, WidenIotas,
                   "IREE counts in integers as narrow as the floats"),
    IREE_PJRT_PASS(kStablehlo, RewriteRngStates,
                   "IREE merges generators that start from one state"),
    IREE_PJRT_PASS(kStablehlo, RewriteSorts,
                   "IREE's sorts take quadratic time"),
    IREE_PJRT_PASS(kStablehlo, SortInSteps,
                   "IREE's sorts take quadratic time, also by comparators that "
                   "the handler cannot follow"),
    IREE_PJRT_PASS(
        kStablehlo, RewriteUnsignedOperations,
        "IREE does not compile some operations of unsigned integers"),
    IREE_PJRT_PASS(kStablehlo, DropIdleReverses,
                   "IREE refuses reversals of no dimension"),
    IREE_PJRT_PASS(kStablehlo, InterleavePads,
                   "IREE writes both of two arrays whose elements take turns"),
    IREE_PJRT_CPU_PASS(kStablehlo, MultiplyWindows,
                       "IREE sums over large windows one vector at a time"),
    IREE_PJRT_PASS(kStablehlo, SliceNegativePads,
                   "IREE writes a larger array where elements are taken away"),
    IREE_PJRT_PASS(kStablehlo, SeparatePads,
                   "IREE adds up two paddings, the second between elements"),
    IREE_PJRT_PASS(kStablehlo, ReplaceEmptyProducts,
                   "IREE ends the process on products of empty arrays"),
    IREE_PJRT_PASS(kStablehlo, SwapFactors,
                   "IREE writes products twice that are transposed"),
    IREE_PJRT_PASS(kStablehlo, ExpandOuterProducts,
                   "IREE converts factors twice where nothing is added up"),
    IREE_PJRT_PASS(kStablehlo, WidenSums,
                   "IREE rounds floats of 16 bits after each term"),
    IREE_PJRT_PASS(kStablehlo, ScanInBlocks,
                   "IREE's cumulative sums add one number after another"),
    IREE_PJRT_PASS(kStablehlo, MatchGroupedOperands,
                   "IREE reads depthwise filters as of the result's type"),
    IREE_PJRT_PASS(kStablehlo, OrderConvolutions,
                   "IREE makes scalar code of dimensions in another order"),
    IREE_PJRT_CPU_PASS(kStablehlo, GuardReverses,
                       "IREE transposes what it reverses element by element"),
    IREE_PJRT_CPU_PASS(kStablehlo, MultiplyPatches,
                       "IREE reads all of a large filter for a few results"),
    {Phase::kStablehlo,
     "MultiplyTiles",
     &Tiles,
     "IREE multiplies 8-bit integers and bfloat16 without AMX",
     {},
     Targets::kCpus},
    {Phase::kStablehlo, "SumLongProducts", &LongProducts,
     "IREE adds one product after another"},
    IREE_PJRT_CPU_PASS(kStablehlo, SplitLongProducts,
                       "IREE goes over long matrices for each tile of a "
                       "product"),
    IREE_PJRT_PASS(kStablehlo, SplitReductions,
                   "IREE adds one vector after another, on one core"),
    {Phase::kStablehlo, "SplitComplexReductions", &ComplexReductions,
     "IREE makes scalar code of complex sums, and for GPUs none"},
    IREE_PJRT_PASS(kStablehlo, SliceBeforeTransposing,
                   "IREE transposes all of an array where a row is needed"),
    IREE_PJRT_PASS(kStablehlo, ConvertAfterSlices,
                   "IREE converts all of an array where a slice is needed"),
    IREE_PJRT_PASS(
        kStablehlo, OrderFloatExtremes,
        "IREE makes scalar code of the extremes of floats, and fills "
        "vectors up with numbers that change them"),
    IREE_PJRT_PASS(kStablehlo, RewriteDotProducts,
                   "IREE refuses algorithms, and takes unsigned for signed"),
    {Phase::kStablehlo,
     "WidenFactors",
     &Factors,
     "IREE widens packed floats of 16 bits for each tile",
     {},
     Targets::kCpus},
    IREE_PJRT_PASS(kStablehlo, WidenComplexMath,
                   "expm1, tan and tanh of complex numbers are wrong in IREE"),
    IREE_PJRT_PASS(kStablehlo, RewriteComplexUpdates,
                   "IREE does not compile updates of complex numbers"),
    IREE_PJRT_PASS(kStablehlo, SplitComplex128,
                   "IREE fills memory with numbers of at most 64 bits"),
    IREE_PJRT_PASS(kStablehlo, RewriteComplexAbs,
                   "the squares of large and small numbers leave float32"),
    IREE_PJRT_PASS(kStablehlo, RewritePlacementMarkers,
                   "IREE does not know custom calls that name a memory"),
    IREE_PJRT_PASS(kStablehlo, RewriteShardingMarkers,
                   "IREE does not know custom calls that mark shardings"),
    {Phase::kStablehlo, "RewriteCollectivesOfOne",
     &OnOneDevice<&RewriteCollectivesOfOne>,
     "IREE has no collectives on CPUs; over one device they are nothing"},
    IREE_PJRT_PASS(kStablehlo, GuardSharedShapes,
                   "IREE's lowering crashes on a shape that functions share"),
    {Phase::kStablehlo, "RewriteForeignCalls", &ForeignCalls,
     "handlers on the host answer custom calls of the typed FFI, and fft"},

    IREE_PJRT_PASS(kLinalg, TakeFromParts,
                   "IREE writes what is put together to be taken apart"),
    IREE_PJRT_CPU_PASS(kLinalg, InterleaveParts,
                       "IREE copies columns element by element; after "
                       "TakeFromParts"),
    {Phase::kLinalg, "KeepInputs", &Inputs,
     "IREE writes into inputs that were not donated"},
    IREE_PJRT_PASS(kLinalg, FreeTargets,
                   "IREE writes into constants, and refuses sorts of slices"),
    IREE_PJRT_PASS(kLinalg, CopyOwnSlices,
                   "IREE reads from an array what it has just written there"),
    IREE_PJRT_PASS(kLinalg, CopySlicedSources,
                   "IREE takes elements from elsewhere in a sliced array"),
    IREE_PJRT_PASS(kLinalg, GuardStridedInserts,
                   "IREE puts elements side by side that belong apart"),
    IREE_PJRT_PASS(kLinalg, SplitComplexConstants,
                   "IREE does not compile complex constants of rank 0"),
    IREE_PJRT_OLD_PASS(
        kLinalg, FoldKnownParts,
        "IREE mixes up two results of a dispatch that are equal"),
    IREE_PJRT_PASS(kLinalg, TakeIndicesAsInputs,
                   "IREE makes indices of each gather in a dispatch; before "
                   "LimitDispatchOperands"),
    {Phase::kLinalg, "LimitDispatchOperands", &Operands,
     "IREE fuses more than its runtime has operands for"},
    {Phase::kLinalg, "GuardTakenSources", &TakenSources,
     "IREE takes elements from the packed form of an array"},
    IREE_PJRT_PASS(kLinalg, GuardCrossedResults,
                   "IREE computes only a part of what is indexed in two ways"),
    IREE_PJRT_PASS(kLinalg, GuardPairedResults,
                   "IREE transposes one of several results and ends"),
    IREE_PJRT_CPU_PASS(kLinalg, GuardRepeatedSums,
                       "IREE computes columns of what repeats sums of rows"),
    IREE_PJRT_PASS(kLinalg, GuardTakenParts,
                   "IREE computes only the part that is taken at index zero"),
    IREE_PJRT_PASS(kLinalg, GuardSlicedElements,
                   "IREE never ends compiling one element of what it widens"),
    IREE_PJRT_PASS(kLinalg, KeepProductSums,
                   "IREE makes scalar code of sums of products"),
    IREE_PJRT_CPU_PASS(kLinalg, PackFloat64Products,
                       "IREE packs no float64, so that rows share few places "
                       "of a cache"),
    IREE_PJRT_PASS(kLinalg, RoundFloats8,
                   "IREE rounds floats of 8 bits wrong; before WidenMath"),
    IREE_PJRT_PASS(kLinalg, SaturateConversions,
                   "IREE leaves open what integer NaN and large floats are; "
                   "after RoundFloats8"),
    IREE_PJRT_PASS(kLinalg, ExpandPowers,
                   "powers of negative numbers and of zero are NaN in IREE"),
    IREE_PJRT_PASS(kLinalg, WidenMath,
                   "IREE's approximations are wrong at the ends of ranges"),
    IREE_PJRT_PASS(kLinalg, ExpandFloat64Math,
                   "IREE has no cbrt of float64, and inexact expm1, log1p"),
    IREE_PJRT_GPU_PASS(kLinalg, FillWithConstants,
                       "IREE refuses reductions that share what they begin "
                       "with"),
    IREE_PJRT_PASS(kLinalg, StabilizeSorts, "IREE's sorts are not stable"),
    IREE_PJRT_PASS(kLinalg, IndexByRows,
                   "IREE divides the number of each element by all dimensions"),
    {Phase::kLinalg,
     "DispatchLoops",
     &Loops,
     "IREE queues each operation of each turn of a loop; 3.11 loses where "
     "memory begins that is taken apart",
     {.from = {3, 13}},
     Targets::kCpus},
    IREE_PJRT_CPU_PASS(kLinalg, DispatchScatters,
                       "IREE writes out of bounds, element by element"),
    IREE_PJRT_GPU_PASS(kLinalg, GuardScatteredValues,
                       "IREE refuses scatters of what it computes with them"),

    IREE_PJRT_PASS(
        kFlow, DropBarriers,
        "the host waits at a barrier between dispatches; IREE writes "
        "into what others read before one"),
    IREE_PJRT_OLD_PASS(
        kFlow, GuardLoneDispatches,
        "IREE takes one result for all of dispatches without input"),
    IREE_PJRT_PASS(kFlow, GuardSharedTargets,
                   "IREE loses one of two copies of what updates share"),
    IREE_PJRT_PASS(kFlow, GuardConstantTerms,
                   "IREE leaves out elements that are all one number"),
    IREE_PJRT_CPU_PASS(kFlow, AddNegativeTerms,
                       "IREE makes scalar code of sums of negative terms"),
    IREE_PJRT_CPU_PASS(kFlow, MergeRowDispatches,
                       "IREE writes and reads all rows between two reductions"),
    IREE_PJRT_PASS(kFlow, KeepSharedResults,
                   "IREE writes into what a branch or loop hands out"),

    IREE_PJRT_PASS(kStream, AlignLoops,
                   "IREE mixes up what a loop carries with its results"),
    IREE_PJRT_PASS(kStream, RefineSubviews,
                   "IREE refuses views of another kind than the whole"),
    IREE_PJRT_CPU_PASS(kStream, AllocateDirectly,
                       "IREE puts all results into one allocation, out of "
                       "which they are copied"),
    {Phase::kStream,
     "DropDeallocations",
     &Deallocations,
     "IREE deallocates memory that is still read by another name",
     {.from = {3, 13}}},

    IREE_PJRT_PASS(kScheduling, WriteCarriedInPlace,
                   "IREE copies what a loop carries in each turn"),
    IREE_PJRT_PASS(kScheduling, ReadCarriedInPlace,
                   "IREE copies what a turn of a loop reads"),
    IREE_PJRT_PASS(kScheduling, CopyReadTargets,
                   "IREE writes into what is read at the same time"),
    IREE_PJRT_PASS(
        kScheduling, PinCapturedValues,
        "IREE groups what is before a loop with what needs its results"),

    {Phase::kSources,
     "SubmitBriefly",
     &Only<&SubmitBriefly>,
     "IREE compiles a function for each submission, however few dispatches it "
     "has",
     {.from = {3, 13}},
     Targets::kCpus},
    {Phase::kSources,
     "SeparateRows",
     &Only<&SeparateRows>,
     "IREE divides to find each element's place in a row",
     {.from = {3, 13}},
     Targets::kCpus},
    IREE_PJRT_CPU_PASS(kSources, JoinCopiedDimensions,
                       "IREE copies along the last dimension, however short"),
    IREE_PJRT_CPU_PASS(kSources, LoopOverSteps,
                       "IREE copies every other element on one core"),
    IREE_PJRT_CPU_PASS(kSources, BindLoops,
                       "the memory of DispatchLoops is not bound to arguments"),
    IREE_PJRT_GPU_PASS(kSources, TurnReductions,
                       "IREE begins some reductions with a wrong number, and "
                       "knows none for others"),

    IREE_PJRT_CPU_PASS(kDispatch, ReduceBooleans,
                       "IREE makes scalar code of any and all"),
    IREE_PJRT_CPU_PASS(
        kDispatch, TakeInLoops,
        "IREE gathers what it reverses, and narrow elements, one by one"),
    IREE_PJRT_CPU_PASS(
        kDispatch, TakeRows,
        "IREE takes each element of a row by an index of its own"),
    IREE_PJRT_CPU_PASS(kDispatch, TileColumnReductions,
                       "IREE gives a few columns to many workers"),
    IREE_PJRT_CPU_PASS(kDispatch, TileRowReductions,
                       "IREE reduces a row by one vector at a time"),
    IREE_PJRT_CPU_PASS(kDispatch, TileTransposes,
                       "IREE transposes squares that leave narrow rows over"),
    IREE_PJRT_CPU_PASS(
        kDispatch, FillParts,
        "IREE divides loops into parts of less than a vector, and "
        "rows into pieces"),
    IREE_PJRT_CPU_PASS(
        kDispatch, PeelLoops,
        "IREE masks all vectors of a length that does not fill the last one"),
    IREE_PJRT_CPU_PASS(kDispatch, CallMicrokernels,
                       "IREE computes packed products of 8-bit integers and "
                       "bfloat16 without the instructions for them"),
    IREE_PJRT_CPU_PASS(kDispatch, TilePackedProducts,
                       "IREE reads all of a packed factor for a few rows"),
    IREE_PJRT_CPU_PASS(kDispatch, TileFloat64Products,
                       "IREE fills a quarter of the registers with AVX-512"),
    IREE_PJRT_CPU_PASS(kDispatch, TileRowProducts,
                       "IREE reads a few columns of a matrix at a time"),
    IREE_PJRT_CPU_PASS(kDispatch, TileConvolutions,
                       "IREE fills a quarter of the registers with images "
                       "whose width is odd"),
    IREE_PJRT_CPU_PASS(kDispatch, VectorizeComplex,
                       "IREE makes scalar code of complex numbers"),

    {Phase::kHal, "EmbedObject", &Object,
     "IREE's module has only the name of the compiled object"},

    IREE_PJRT_PASS(kVm, SeparateBlockArguments,
                   "IREE's registers overwrite each other between blocks"),
};
#undef IREE_PJRT_PASS
#undef IREE_PJRT_OLD_PASS
#undef IREE_PJRT_CPU_PASS
#undef IREE_PJRT_GPU_PASS

bool IsFor(const Pass& pass, bool gpus) {
  return pass.targets == Targets::kAll ||
         pass.targets == (gpus ? Targets::kGpus : Targets::kCpus);
}

const char* TextOf(Targets targets) {
  if (targets == Targets::kAll) return "";
  return targets == Targets::kGpus ? "GPUs" : "CPUs";
}

bool Holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool SavesChanges(const PassContext& context) {
  return Holds(context.saved, kChangingPasses);
}

bool IsSaved(const PassContext& context, std::string_view name) {
  return context.save &&
         (Holds(context.saved, name) || Holds(context.saved, kAllPasses) ||
          SavesChanges(context));
}

// Runs the pass on a module whose text is given; writes that, and the module
// after it with the time. Of a pass that fails there is only the first. The
// text of the module after the pass.
std::string RunAndSave(const Pass& pass, const Ir& ir, PassContext& context,
                       const std::string& before) {
  using Clock = std::chrono::steady_clock;
  const auto name = [&](std::string_view suffix) {
    return (context.count < 10 ? "0" : "") + std::to_string(context.count) +
           "-" + pass.name + std::string(suffix);
  };
  const auto start = Clock::now();
  try {
    pass.run(ir, context);
  } catch (...) {
    context.save(name(".before.mlir"), before);
    throw;
  }
  const std::chrono::duration<double, std::micro> took = Clock::now() - start;
  std::string after = ir.Print(ir.module);
  if (SavesChanges(context) && after == before) return after;
  context.save(name(".before.mlir"), before);
  context.save(name(".after.mlir"), "// " + std::string(pass.name) + " (" +
                                        std::string(NameOf(pass.phase)) +
                                        "): " + std::to_string(took.count()) +
                                        " us\n" + after);
  ++context.count;
  return after;
}

}  // namespace

std::string_view NameOf(Phase phase) {
  switch (phase) {
    case Phase::kReceived:
      return "received";
    case Phase::kStablehlo:
      return "stablehlo";
    case Phase::kLinalg:
      return "linalg";
    case Phase::kFlow:
      return "flow";
    case Phase::kStream:
      return "stream";
    case Phase::kScheduling:
      return "scheduling";
    case Phase::kSources:
      return "sources";
    case Phase::kDispatch:
      return "dispatch";
    case Phase::kHal:
      return "hal";
    case Phase::kVm:
      return "vm";
  }
  return "";
}

std::span<const Pass> Passes() { return kPasses; }

void CheckPassNames(const char* variable,
                    const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool known =
        std::any_of(std::begin(kPasses), std::end(kPasses),
                    [&](const Pass& pass) { return name == pass.name; });
    if (!known) {
      ThrowInvalidArgument(std::string(variable) + ": there is no pass '" +
                           name +
                           "'; `npx pipeline plugin-info --passes` lists them");
    }
  }
}

void RunPasses(Phase phase, const Ir& ir, PassContext& context) {
  std::string text;  // of the module as it is now; empty: not printed
  for (const Pass& pass : kPasses) {
    if (pass.phase != phase || !pass.needed.Hold(context.line) ||
        !IsFor(pass, context.for_gpus) || Holds(context.skipped, pass.name)) {
      continue;
    }
    const TraceSpan span(TraceKind::kCompile, pass.name);
    if (IsSaved(context, pass.name)) {
      if (text.empty()) text = ir.Print(ir.module);
      text = RunAndSave(pass, ir, context, text);
    } else {
      pass.run(ir, context);
      text.clear();
    }
  }
}

const std::string& PassTable() {
  static const std::string& table = *[] {
    auto* text = new std::string;
    for (const Pass& pass : kPasses) {
      *text += std::string(NameOf(pass.phase)) + '\t' + pass.name + '\t' +
               pass.why + '\t' + TextOf(pass.needed) + '\t' +
               TextOf(pass.targets) + '\n';
    }
    return text;
  }();
  return table;
}

}  // namespace iree_pjrt
