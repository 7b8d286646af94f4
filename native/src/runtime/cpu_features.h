// SPDX-License-Identifier: Apache-2.0
// What this machine's processor can do: a program compiled for it must not run
// on one that can do less. Thread-safe.
#ifndef IREE_PJRT_RUNTIME_CPU_FEATURES_H_
#define IREE_PJRT_RUNTIME_CPU_FEATURES_H_

#include <string>

namespace iree_pjrt {

// Whether it has vectors of 512 bits; true for other than x86-64.
bool HasWideVectors();

// Whether it has all of x86-64-v3 (AVX2, FMA), and the system lets it.
bool IsX86V3();

// Equal on machines with the same vendor, model and features.
const std::string& CpuFeatures();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RUNTIME_CPU_FEATURES_H_
