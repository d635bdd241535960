// The functions on queues and tensors; one header has them all.
#pragma once

#include "kernel_operator.h"
