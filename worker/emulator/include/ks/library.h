// The high-level functions, as kernel_operator.h shows them.
#pragma once

#include "ks/choice.h"
#include "ks/gated.h"
#include "ks/layout.h"
#include "ks/normalisation.h"
#include "ks/quantisation.h"
#include "ks/reduction_axes.h"
#include "ks/shape_change.h"
#include "ks/softmax.h"
