// Host side of tiling: the card, and structures of tiling data. Tiling functions of high-level functions are declared
// beside those functions; one that the emulated card lacks fails to compile by its name.
#pragma once

#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
