#pragma once

#include <string>
#include <vector>

#include "bench/measure.h"

namespace lanewise::tools {

/// Results as aligned text: a block per case, a line per tier; the speed-up is over the case's first tier.
std::string bench_head();
std::string bench_rows(const std::vector<BenchResult>& results);

}  // namespace lanewise::tools
