// SPDX-License-Identifier: Apache-2.0
// A dispatch that copies a part of one array to a part of another, as text.
#ifndef IREE_PJRT_TEST_REWRITE_SOURCES_COPIED_PART_H_
#define IREE_PJRT_TEST_REWRITE_SOURCES_COPIED_PART_H_

#include <string>

namespace iree_pjrt {

// `array`: the type in memory, `8x3xf32`; the others are lists of numbers.
struct CopiedPart {
  std::string array, offsets, sizes, steps;
};

// `between`: the type of what is copied, `8x2xf32`.
inline std::string CopyOf(const CopiedPart& from, const CopiedPart& to,
                          const std::string& between) {
  const auto memory = [](const char* access, const CopiedPart& part) {
    return "!iree_tensor_ext.dispatch.tensor<" + std::string(access) +
           ":tensor<" + part.array + ">>";
  };
  const auto place = [](const CopiedPart& part) {
    return ", offsets = [" + part.offsets + "], sizes = [" + part.sizes +
           "], strides = [" + part.steps + "] : ";
  };
  const std::string layout =
      "#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>, "
      "#hal.pipeline.binding<storage_buffer>]>";
  const std::string source = memory("readonly", from);
  const std::string target = memory("readwrite", to);
  const std::string tensor = "tensor<" + between + ">";
  return "module { func.func @f() { %c0 = arith.constant 0 : index %from = "
         "hal.interface.binding.subspan layout(" +
         layout + ") binding(0) offset(%c0) : " + source +
         " %to = hal.interface.binding.subspan layout(" + layout +
         ") binding(1) offset(%c0) : " + target +
         " %part = iree_tensor_ext.dispatch.tensor.load %from" + place(from) +
         source + " -> " + tensor +
         " iree_tensor_ext.dispatch.tensor.store %part, %to" + place(to) +
         tensor + " -> " + target + " return } }";
}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TEST_REWRITE_SOURCES_COPIED_PART_H_
