// assert of kernels; include the C++ library before it.
#pragma once

#include "ks/debug.h"
