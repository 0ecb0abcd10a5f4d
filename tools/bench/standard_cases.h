#pragma once

#include <vector>

#include "bench/case.h"

namespace lanewise::tools {

/// The list that runs without naming ops. It is not to change, so that numbers stay comparable over time; new
/// cases go to its end.
std::vector<BenchCase> standard_cases();

}  // namespace lanewise::tools
