// Ascend C for kernels: everything a kernel source includes.
#pragma once

#include "ks/allocator.h"
#include "ks/cross_core.h"
#include "ks/data_copy.h"
#include "ks/debug.h"
#include "ks/events.h"
#include "ks/global_tensor.h"
#include "ks/library.h"
#include "ks/local_tensor.h"
#include "ks/pipe.h"
#include "ks/queue.h"
#include "ks/std.h"
#include "ks/system.h"
#include "ks/tiling.h"
#include "ks/vector.h"
