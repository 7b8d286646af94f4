// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_TEST_REWRITE_DISPATCH_TILED_SUMS_H_
#define IREE_PJRT_TEST_REWRITE_DISPATCH_TILED_SUMS_H_

#include <string>

namespace iree_pjrt {

// Sums of an array's rows or columns, after zeros, as IREE tiles them.
struct TiledSums {
  int rows;
  int columns;
  bool of_rows;
  int part;      // of the sums that a worker gets
  int vector;    // of sums
  int zeros;     // the same of the zeros
  int elements;  // of each sum that are added at once
};

inline std::string TextOf(const TiledSums& tiled) {
  const auto floats = [](const std::string& shape) {
    return "tensor<" + shape + "xf32>";
  };
  const std::string array =
      floats(std::to_string(tiled.rows) + "x" + std::to_string(tiled.columns));
  const std::string sums =
      floats(std::to_string(tiled.of_rows ? tiled.rows : tiled.columns));
  const auto size = [](int number) { return std::to_string(number); };
  return "module { func.func @f(%x: " + array + ", %e: " + sums + ") -> " +
         sums +
         " { %z = arith.constant 0.0 : f32 %0 = linalg.fill {lowering_config "
         "= #iree_cpu.lowering_config<vector_common_parallel = [" +
         size(tiled.zeros) + "]>} ins(%z : f32) outs(%e : " + sums + ") -> " +
         sums +
         " %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (" +
         (tiled.of_rows ? "d0, d1" : "d1, d0") +
         ")>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", "
         "\"reduction\"]} ins(%x : " +
         array + ") outs(%0 : " + sums +
         ") attrs = {lowering_config = #iree_cpu.lowering_config<distribution "
         "= [" +
         size(tiled.part) + ", 0], vector_common_parallel = [" +
         size(tiled.vector) + ", 0], vector_reduction = [0, " +
         size(tiled.elements) +
         "]>} { ^bb0(%a: f32, %b: f32): %2 = arith.addf %a, %b : f32 "
         "linalg.yield %2 : f32 } -> " +
         sums + " return %1 : " + sums + " } }";
}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TEST_REWRITE_DISPATCH_TILED_SUMS_H_
