// SPDX-License-Identifier: Apache-2.0
// The implementations behind kernels.h, each in a source compiled for its instruction set. Nothing inline may be shared between them: the
// linker would keep one copy, compiled for any of the sets.
#pragma once

#include "vecruntime/columnar/kernels.h"

namespace vecruntime::columnar {

const Kernels& ScalarKernels();
const Kernels& Avx2Kernels();
const Kernels& Avx512Kernels();

}  // namespace vecruntime::columnar
