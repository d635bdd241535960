// Host side of tiling: the card, structures of tiling data, and the tiling functions of high-level functions; one that
// the emulated card lacks fails to compile by its name.
#pragma once

#include "ks/host_tiling.h"
#include "ks/host_workspace.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
