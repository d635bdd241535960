// AscendC::Std.
#pragma once

#include "ks/std.h"
