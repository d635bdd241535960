// printf of kernels.
#pragma once

#include "ks/debug.h"
