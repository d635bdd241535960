// asc_dump and its relatives.
#pragma once

#include "ks/profiling.h"
