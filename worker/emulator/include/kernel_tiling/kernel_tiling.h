// Device side of tiling data: the structures of high-level functions.
#pragma once

#include "ks/tiling_structures.h"
