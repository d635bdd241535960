// FindLanes for any x86-64.
#define KS_LANES_FIND FindLanesBase
#include "worker/emulator/device/vector/lanes.inc"
