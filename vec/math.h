#pragma once

// All mathematical functions over the vector types.

#include <lanewise/vec/vec.h>
