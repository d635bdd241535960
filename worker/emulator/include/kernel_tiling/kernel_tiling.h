// Device side of tiling data. Structures that belong to a high-level function are declared beside it; one that the
// emulated card lacks fails to compile by its name.
#pragma once

#include <cstdint>
