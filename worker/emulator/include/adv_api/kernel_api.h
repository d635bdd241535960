// The high-level functions.
#pragma once

#include "kernel_operator.h"
