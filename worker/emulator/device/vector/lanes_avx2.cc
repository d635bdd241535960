// FindLanes for AVX2, FMA and F16C; see CMakeLists.txt for the flags.
#define KS_LANES_FIND FindLanesAvx2
#include "worker/emulator/device/vector/lanes.inc"
