#pragma once

// The cases are written once, against the names that Lanewise shares with libtorch, and built once per
// library: the same names in both programs are the same work.
#ifdef LANEWISE_BENCH_LIBTORCH
#include <torch/torch.h>
namespace lib = torch;
#else
#include <lanewise/lanewise.h>
namespace lib = lanewise;
#endif
