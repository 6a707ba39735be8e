// SPDX-License-Identifier: Apache-2.0
#include "vecruntime/columnar/kernels.h"

#include <initializer_list>

#include "vecruntime/columnar/kernels_internal.h"

namespace vecruntime::columnar {
namespace {

#if defined(__x86_64__)
bool HasAvx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"); }
bool HasAvx512() {
  return HasAvx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
}
#endif

const Kernels& Choose() {
  for (const InstructionSet set : {InstructionSet::kAvx512, InstructionSet::kAvx2}) {
    if (const Kernels* kernels = KernelsFor(set)) return *kernels;
  }
  return *KernelsFor(InstructionSet::kScalar);
}

}  // namespace

const Kernels* KernelsFor(InstructionSet set) {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::kAvx2: return HasAvx2() ? &Avx2Kernels() : nullptr;
    case InstructionSet::kAvx512: return HasAvx512() ? &Avx512Kernels() : nullptr;
#endif
    case InstructionSet::kScalar: return &ScalarKernels();
    default: return nullptr;
  }
}

const Kernels& ActiveKernels() {
  static const Kernels& kernels = Choose();
  return kernels;
}

}  // namespace vecruntime::columnar
