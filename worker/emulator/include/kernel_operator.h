// Ascend C for kernels: everything a kernel source includes.
#pragma once

// Host code of kernel sources leans on these without naming them.
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "ks/allocator.h"
#include "ks/control.h"
#include "ks/cross_core.h"
#include "ks/data_copy.h"
#include "ks/data_copy_shapes.h"
#include "ks/debug.h"
#include "ks/events.h"
#include "ks/global_tensor.h"
#include "ks/group_barrier.h"
#include "ks/intrinsics.h"
#include "ks/library.h"
#include "ks/list_tensor.h"
#include "ks/local_tensor.h"
#include "ks/memory_watch.h"
#include "ks/pipe.h"
#include "ks/profiling.h"
#include "ks/queue.h"
#include "ks/std.h"
#include "ks/system.h"
#include "ks/tensor_trait.h"
#include "ks/tiling.h"
#include "ks/vector.h"
#include "securec.h"
