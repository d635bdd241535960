// The matrix half of the high-level functions runs on cube cores, which the emulated card has not: this declares what
// vector kernels use beside it. A kernel that names Matmul is told so by the compiler.
#pragma once

#include "kernel_operator.h"
