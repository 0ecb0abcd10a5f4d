#pragma once

/// What a loss does with the terms of a batch, by ATen's numbers: mse_loss(a, b, Reduction::Sum).
namespace lanewise::Reduction {

enum Reduction : int {
  None,  ///< nothing
  Mean,  ///< their mean
  Sum,   ///< their sum
  END
};

}  // namespace lanewise::Reduction
