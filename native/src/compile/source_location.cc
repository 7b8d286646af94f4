// SPDX-License-Identifier: Apache-2.0
#include "compile/source_location.h"

#include <string_view>

namespace iree_pjrt {
namespace {

constexpr size_t kShownFrames = 4;
// Programs nest locations as deeply as they like; reading stops here.
constexpr size_t kMaxFrames = 1000;

class Reader {
 public:
  Reader(const MlirApi& api, SourceLocation& result)
      : api_(api), result_(result) {}

  void Read(MlirLocation location) {
    // The callers of a call site are a list, walked in a loop; what recurses is
    // shallow.
    while (result_.frames.size() < kMaxFrames) {
      if (!api_.mlirLocationIsACallSite(location)) {
        ReadOne(location);
        return;
      }
      ReadOne(api_.mlirLocationCallSiteGetCallee(location));
      location = api_.mlirLocationCallSiteGetCaller(location);
    }
  }

 private:
  std::string Text(MlirIdentifier identifier) const {
    const MlirStringRef text = api_.mlirIdentifierStr(identifier);
    return std::string(text.data, text.length);
  }

  void ReadOne(MlirLocation location) {
    if (api_.mlirLocationIsACallSite(location)) {
      Read(location);
    } else if (api_.mlirLocationIsAName(location)) {
      ReadName(location);
    } else if (api_.mlirLocationIsAFileLineColRange(location)) {
      AddFrame("", location);
    } else if (api_.mlirLocationIsAFused(location)) {
      ReadFused(location);
    }
  }

  // The name around a file is that of a frame's function; any other is that of
  // the operation.
  void ReadName(MlirLocation location) {
    const std::string name = Text(api_.mlirLocationNameGetName(location));
    const MlirLocation child = api_.mlirLocationNameGetChildLoc(location);
    if (api_.mlirLocationIsAFileLineColRange(child)) {
      AddFrame(name, child);
      return;
    }
    if (result_.operation.empty()) result_.operation = name;
    ReadOne(child);
  }

  // Locations of operations that were merged; the first that says something
  // counts.
  void ReadFused(MlirLocation location) {
    std::vector<MlirLocation> parts(
        api_.mlirLocationFusedGetNumLocations(location));
    if (!parts.empty()) {
      api_.mlirLocationFusedGetLocations(location, parts.data());
    }
    for (const MlirLocation part : parts) {
      const size_t before = result_.frames.size();
      ReadOne(part);
      if (result_.frames.size() > before) return;
    }
  }

  void AddFrame(std::string function, MlirLocation file) {
    result_.frames.push_back(
        {std::move(function),
         Text(api_.mlirLocationFileLineColRangeGetFilename(file)),
         api_.mlirLocationFileLineColRangeGetStartLine(file)});
  }

  const MlirApi& api_;
  SourceLocation& result_;
};

}  // namespace

std::string SourceLocation::ToString() const {
  std::string text;
  size_t shown = 0;
  for (const Frame& frame : frames) {
    if (frame.file == "-" || frame.file.empty()) continue;
    if (shown++ == kShownFrames) {
      text += "\n  ... and further callers";
      break;
    }
    text += "\n  at ";
    text += frame.function.empty() ? "" : frame.function + " ";
    text += "(" + frame.file + ":" + std::to_string(frame.line) + ")";
  }
  return text;
}

SourceLocation ReadLocation(const MlirApi& api, MlirLocation location) {
  SourceLocation result;
  Reader(api, result).Read(location);
  return result;
}

}  // namespace iree_pjrt
