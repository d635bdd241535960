// What host code asks high-level functions for.
#pragma once

#include "tiling/tiling_api.h"
