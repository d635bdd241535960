// Everything the vector unit does, as kernel_operator.h shows it.
#pragma once

#include "ks/vector_binary.h"
#include "ks/vector_cast.h"
#include "ks/vector_fill.h"
#include "ks/vector_gather.h"
#include "ks/vector_interpolation.h"
#include "ks/vector_layout.h"
#include "ks/vector_mask.h"
#include "ks/vector_math.h"
#include "ks/vector_reduce.h"
#include "ks/vector_rows.h"
#include "ks/vector_scalar.h"
#include "ks/vector_select.h"
#include "ks/vector_sort.h"
#include "ks/vector_unary.h"
