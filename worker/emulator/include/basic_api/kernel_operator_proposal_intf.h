// One header has them all.
#pragma once

#include "kernel_operator.h"
