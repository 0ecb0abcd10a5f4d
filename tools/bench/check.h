#pragma once

#include <string>
#include <vector>

#include <lanewise/tensor/tensor.h>

namespace lanewise::tools {

/// The largest distance of `found` from `exact`, in units of the largest exact number; NaN and infinity must
/// be in the same places. Throws   Error, beginning with `what`, if that is more than the dtype excuses
/// (integers and bools: anything) or shapes differ
double check(const std::string& what, ScalarType dtype, const std::vector<Tensor>& found,
             const std::vector<Tensor>& exact);

}  // namespace lanewise::tools
