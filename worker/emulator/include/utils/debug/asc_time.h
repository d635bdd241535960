// clock() of kernels.
#pragma once

#include "ks/profiling.h"
