#pragma once

#include <lanewise/iterator/function_ref.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::optim {

/// A point of the line that a search goes along.
struct LinePoint {
  double t = 0;  ///< in steps of the direction
  double loss = 0;
  Tensor grad;       ///< [n]
  double slope = 0;  ///< of the loss along the line: grad . direction
};

/// Looks along a line, downhill at `start`, for a point that satisfies the strong Wolfe conditions: the loss is lower
/// by 1e-4 of what the first slope promises, and the slope is at most 0.9 of it, up or down. `t` is tried first.
/// After 26 evaluations, or where a bracket moves no parameter by 1e-9, the best point so far is returned.
///
/// Source   J. Nocedal, S. Wright, "Numerical optimization" (2006), algorithms 3.5 and 3.6
LinePoint strong_wolfe(FunctionRef<LinePoint(double)> evaluate, const LinePoint& start, double t,
                       double largest_of_direction);

}  // namespace lanewise::optim
